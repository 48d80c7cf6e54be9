#pragma once

#include <vector>

#include "ramet/ops/parsing/feature_spec.h"
#include "ramet/ops/parsing/feature_wire.h"

namespace ramet {

// A FeatureColumn collects the values of one feature over a batch of examples, and makes the
// outputs of an op from them. Strings borrow the messages until the outputs are made.
class FeatureColumn {
 public:
  // The feature of one example, or of each example of a batch.
  enum class Rank { kOne, kBatch };
  // How reading the values of a feature ended.
  enum class Outcome { kRead, kMalformed, kWrongCount };

  FeatureColumn(const FeatureSpec& spec, Rank rank) : spec_(spec), rank_(rank) {}
  const FeatureSpec& spec() const { return spec_; }

  // Prepares for `examples` examples. Allocates the output of a kFixed feature.
  // \error as Tensor::Allocate.
  Status Start(int64_t examples, Allocator* allocator);
  // Reads the values of example `i`, whose dtype is that of the spec; examples come in order, each
  // once. `*count` is the number of values.
  Outcome Read(int64_t i, const SerializedFeature& feature, size_t* count);
  // Uses the default value for example `i`, in which the feature is missing. For kFixed, there must
  // be one.
  void UseFallback(int64_t i);

  // Make the outputs. The values of all examples are one after another.
  // \error as Tensor::Allocate.
  StatusOr<Tensor> Dense(Allocator* allocator);
  StatusOr<Tensor> SparseIndices(Allocator* allocator) const;
  StatusOr<Tensor> SparseShape(Allocator* allocator) const;
  StatusOr<Tensor> Values(Allocator* allocator) const;
  StatusOr<Tensor> RowSplits(Allocator* allocator) const;

 private:
  int64_t longest() const;
  Outcome ReadFixed(int64_t i, const SerializedFeature& feature, size_t* count);
  StatusOr<Tensor> Padded(Allocator* allocator) const;

  const FeatureSpec& spec_;
  const Rank rank_;
  Tensor fixed_;
  FeatureValues values_;
  std::vector<int64_t> ends_;  // the number of values after each example
};

// Returns the size of the largest of the parts with these ends; 0 if `ends` is empty.
int64_t LargestStep(const std::vector<int64_t>& ends);
// Makes row splits: 0, and then `ends`.
// \error as Tensor::Allocate.
StatusOr<Tensor> MakeSplits(DType dtype, const std::vector<int64_t>& ends, Allocator* allocator);

}  // namespace ramet
