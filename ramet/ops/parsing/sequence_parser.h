#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/ops/parsing/feature_list_column.h"

namespace ramet {

// The features of a sequence example that an op parses.
struct SequenceSpecs {
  FeatureSpecs context;
  FeatureSpecs lists;
  std::vector<bool> may_be_missing;  // of each list that is dense: a missing list is empty
};

// The parsed features, in the order of the specs.
struct SequenceColumns {
  std::vector<FeatureColumn> context;
  std::vector<FeatureListColumn> lists;
};

// A SequenceParser reads messages of type SequenceExample without making messages, like
// ExampleParser.
class SequenceParser {
 public:
  using Rank = FeatureColumn::Rank;
  // The op whose messages and rules are used.
  enum class Dialect { kParseSequenceExample, kParseSingleSequenceExample };

  // Parses one sequence example or a batch; `names` are their names in errors, or empty.
  // \error kInvalidArgument: a message is malformed; a feature or list is missing, has a different
  //   dtype or number of values.
  static StatusOr<SequenceColumns> Parse(const SequenceSpecs& specs, Dialect dialect, Rank rank,
                                         std::span<const std::string> serialized,
                                         std::span<const std::string> names, Allocator* allocator);

 private:
  // A feature of the current example, or a list of them, in wire format.
  struct Found {
    bool present = false;
    std::string_view bytes;
  };

  SequenceParser(const SequenceSpecs& specs, Dialect dialect, Rank rank,
                 std::span<const std::string> names);
  Status ParseOne(int64_t example, std::string_view serialized);
  static bool FindIn(WireCursor map, const FeatureSpecs& specs, std::vector<Found>* found);
  bool FindFeatures(std::string_view serialized);
  Status ReadContext(int64_t example, int i);
  Status ReadList(int64_t example, int i);
  Status ReadRow(int64_t example, int i, int64_t row, std::string_view bytes);
  // Reports an error that TensorFlow reports only after it has seen all examples.
  Status Later(std::vector<Status>& problems, int i, Status problem);
  Status CheckContext() const;
  Status CheckLists() const;

  bool single() const { return dialect_ == Dialect::kParseSingleSequenceExample; }
  std::string_view name(int64_t example) const;
  Status WrongContextType(int64_t example, const FeatureSpec& spec) const;
  Status WrongListType(int64_t example, const FeatureSpec& spec, int64_t row) const;
  Status WrongContextCount(int64_t example, const FeatureSpec& spec, size_t count) const;
  Status WrongCount(int64_t example, const FeatureSpec& spec, int64_t row, size_t count) const;
  Status MissingContext(int64_t example, const FeatureSpec& spec) const;
  Status MissingList(int64_t example, const FeatureSpec& spec) const;

  const SequenceSpecs& specs_;
  const Dialect dialect_;
  const std::span<const std::string> names_;
  SequenceColumns columns_;
  std::vector<Found> context_, lists_;
  std::vector<size_t> most_values_;  // the largest number of values of each context feature
  std::vector<Status> context_problems_, list_problems_;  // the first one of each feature
};

}  // namespace ramet
