#pragma once

#include <vector>

#include "ramet/ops/parsing/feature_column.h"

namespace ramet {

// A FeatureListColumn collects the values of one list of features over a batch of sequence
// examples, and makes the outputs of an op from them. Each feature of a list is a row. Strings
// borrow the messages until the outputs are made.
class FeatureListColumn {
 public:
  using Rank = FeatureColumn::Rank;

  FeatureListColumn(const FeatureSpec& spec, Rank rank) : spec_(spec), rank_(rank) {}
  const FeatureSpec& spec() const { return spec_; }

  // Adds a row to the current example. Returns false if the feature is malformed. `*count` is the
  // number of its values.
  bool ReadRow(const SerializedFeature& feature, size_t* count);
  void AddEmptyRow() { row_ends_.push_back(total()); }
  // Ends the current example.
  void EndExample() { example_ends_.push_back(std::ssize(row_ends_)); }
  // Returns the largest number of values of an example.
  int64_t most_values() const;

  // Make the outputs.
  // \error as Tensor::Allocate.
  StatusOr<Tensor> Dense(Allocator* allocator) const;
  StatusOr<Tensor> Lengths(Allocator* allocator) const;
  StatusOr<Tensor> SparseIndices(Allocator* allocator) const;
  StatusOr<Tensor> SparseShape(Allocator* allocator) const;
  StatusOr<Tensor> Values(Allocator* allocator) const;
  StatusOr<Tensor> OuterSplits(Allocator* allocator) const;
  StatusOr<Tensor> InnerSplits(Allocator* allocator) const;

 private:
  int64_t total() const { return static_cast<int64_t>(values_.size(spec_.dtype)); }
  int64_t most_rows() const;
  int64_t longest_row() const;
  // Calls fn(example, row in the example, first value, number of values) for each row.
  template <class Fn>
  void ForEachRow(Fn&& fn) const;

  const FeatureSpec& spec_;
  const Rank rank_;
  FeatureValues values_;
  std::vector<int64_t> row_ends_;      // the number of values after each row
  std::vector<int64_t> example_ends_;  // the number of rows after each example
};

}  // namespace ramet
