#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/ops/parsing/feature_column.h"

namespace ramet {

// An ExampleParser reads the features of messages of type Example without making messages: it goes
// through the wire format once and copies only the values of features that are wanted. Malformed
// bytes, wrong numbers of values and wrong dtypes give TensorFlow's errors. Memory is bounded by
// the size of the messages and that of the declared dense outputs.
class ExampleParser {
 public:
  // Parses one example or a batch; `names` are the names of the examples in errors, or empty.
  // \error kInvalidArgument: "Could not parse example input, value: '...'"; a feature is malformed
  //   or has values of a different dtype or number; a feature without a default value is missing.
  static StatusOr<std::vector<FeatureColumn>> Parse(const FeatureSpecs& specs,
                                                    FeatureColumn::Rank rank,
                                                    std::span<const std::string> serialized,
                                                    std::span<const std::string> names,
                                                    Allocator* allocator);

 private:
  // One entry of the map of features.
  struct Entry {
    std::string_view key, feature;
  };

  ExampleParser(const FeatureSpecs& specs, FeatureColumn::Rank rank,
                std::span<const std::string> names);
  Status ParseOne(int64_t example, std::string_view serialized);
  bool ReadEntries(std::string_view serialized);
  bool ReadMap(WireCursor map);
  Status ReadColumn(int64_t example, int column, const SerializedFeature& feature);
  Status UseFallbacks(int64_t example);

  std::string Where(int64_t example, std::string_view key) const;
  Status WrongType(int64_t example, const FeatureSpec& spec, DType found) const;
  Status Malformed(int64_t example, const FeatureSpec& spec) const;
  Status WrongCount(int64_t example, const FeatureSpec& spec, size_t count) const;
  Status Missing(int64_t example, const FeatureSpec& spec) const;

  const FeatureSpecs& specs_;
  const FeatureColumn::Rank rank_;
  const std::span<const std::string> names_;
  std::vector<FeatureColumn> columns_;
  std::vector<Entry> entries_;      // of the current example
  std::vector<int64_t> last_seen_;  // the last example that had the feature
};

// Returns the name of example `i` in messages.
std::string_view ExampleName(std::span<const std::string> names, int64_t i);
// Returns the name of a list of values of `dtype` in messages: "int64", "float" or "bytes".
std::string_view ListName(DType dtype);

}  // namespace ramet
