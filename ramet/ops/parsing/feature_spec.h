#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A FeatureSpec is one feature that an op parses, and the form of its output.
struct FeatureSpec {
  enum class Form {
    kFixed,   // a dense tensor of `shape` for each example
    kPadded,  // a dense tensor of rows of `shape`, padded to the longest example
    kSparse,
    kRagged,
  };

  std::string key;
  Form form = Form::kSparse;
  DType dtype = DType::kInvalid;
  Shape shape;
  Tensor fallback;  // kFixed: for a missing feature, if not empty. kPadded: the padding
  DType splits = DType::kInvalid;  // kRagged: the dtype of row splits

  bool dense() const { return form == Form::kFixed || form == Form::kPadded; }
  // The number of values in `shape`.
  int64_t stride() const { return shape.num_elements(); }
  // The shape as in the attr that declares it.
  Shape declared_shape() const;
};

// A FeatureSpecs is the list of features that an op parses, with an index by key. A key that occurs
// twice is not found, as in TensorFlow.
class FeatureSpecs {
 public:
  static constexpr int kNone = -1;

  FeatureSpecs() = default;
  explicit FeatureSpecs(std::vector<FeatureSpec> features);
  FeatureSpecs(FeatureSpecs&&) = default;

  int size() const { return static_cast<int>(features_.size()); }
  const FeatureSpec& operator[](int i) const { return features_[static_cast<size_t>(i)]; }
  auto begin() const { return features_.begin(); }
  auto end() const { return features_.end(); }
  // Returns the position of a key, or kNone.
  int Find(std::string_view key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? kNone : found->second;
  }

 private:
  std::vector<FeatureSpec> features_;
  std::unordered_map<std::string_view, int> index_;
};

// Returns the elements of a tensor of strings, such as the keys of features.
std::vector<std::string> StringsOf(const Tensor& t);
// Makes the spec of dense feature `i` with the key `key` and the shape that an attr declares.
// \error kInvalidArgument: "dense_shapes[0] has unknown rank or unknown inner dimensions: [3,?]".
StatusOr<FeatureSpec> DenseSpec(int i, std::string key, DType dtype, const Shape& declared);
// Checks a default value and sets it.
// \error kInvalidArgument: its dtype or shape does not fit dense feature `i`.
Status SetFallback(int i, const Tensor& fallback, FeatureSpec* spec);

}  // namespace ramet
