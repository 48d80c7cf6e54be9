#include "ramet/ops/parsing/feature_list_column.h"

#include <algorithm>

#include "ramet/ops/array/move.h"

namespace ramet {

bool FeatureListColumn::ReadRow(const SerializedFeature& feature, size_t* count) {
  const int64_t old = total();
  if (!values_.Append(feature)) return false;
  row_ends_.push_back(total());
  *count = static_cast<size_t>(total() - old);
  return true;
}

int64_t FeatureListColumn::most_values() const {
  int64_t most = 0, begin = 0;
  for (const int64_t rows : example_ends_) {
    const int64_t end = rows == 0 ? 0 : row_ends_[rows - 1];
    most = std::max(most, end - begin);
    begin = end;
  }
  return most;
}

int64_t FeatureListColumn::most_rows() const { return LargestStep(example_ends_); }
int64_t FeatureListColumn::longest_row() const { return LargestStep(row_ends_); }

template <class Fn>
void FeatureListColumn::ForEachRow(Fn&& fn) const {
  int64_t row = 0, begin = 0;
  for (int64_t example = 0; example < std::ssize(example_ends_); ++example) {
    for (int64_t k = 0; row < example_ends_[example]; ++k, ++row) {
      fn(example, k, begin, row_ends_[row] - begin);
      begin = row_ends_[row];
    }
  }
}

StatusOr<Tensor> FeatureListColumn::Dense(Allocator* allocator) const {
  Shape shape{most_rows()};
  if (rank_ == Rank::kBatch) shape = Shape{std::ssize(example_ends_)}.Concatenate(shape);
  RAMET_ASSIGN_OR_RETURN(Tensor out,
                         Tensor::Allocate(spec_.dtype, shape.Concatenate(spec_.shape), allocator));
  RAMET_RETURN_IF_ERROR(FillZeros(out));
  const int64_t rows = most_rows(), stride = spec_.stride();
  ForEachRow([&](int64_t example, int64_t row, int64_t begin, int64_t count) {
    values_.CopyTo(begin, count, out, (example * rows + row) * stride);
  });
  return out;
}

StatusOr<Tensor> FeatureListColumn::Lengths(Allocator* allocator) const {
  const Shape shape = rank_ == Rank::kOne ? Shape() : Shape{std::ssize(example_ends_)};
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(kInt64, shape, allocator));
  int64_t begin = 0;
  for (int64_t i = 0; i < std::ssize(example_ends_); ++i) {
    out.mutable_data<int64_t>()[i] = example_ends_[i] - begin;
    begin = example_ends_[i];
  }
  return out;
}

StatusOr<Tensor> FeatureListColumn::SparseIndices(Allocator* allocator) const {
  const int64_t width = rank_ == Rank::kOne ? 2 : 3;
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(kInt64, Shape{total(), width}, allocator));
  int64_t* at = out.mutable_data<int64_t>();
  ForEachRow([&](int64_t example, int64_t row, int64_t, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (width == 3) *at++ = example;
      *at++ = row;
      *at++ = i;
    }
  });
  return out;
}

StatusOr<Tensor> FeatureListColumn::SparseShape(Allocator* allocator) const {
  const int64_t width = rank_ == Rank::kOne ? 2 : 3;
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(kInt64, Shape{width}, allocator));
  int64_t* dims = out.mutable_data<int64_t>();
  if (width == 3) *dims++ = std::ssize(example_ends_);
  *dims++ = most_rows();
  *dims = longest_row();
  return out;
}

StatusOr<Tensor> FeatureListColumn::Values(Allocator* allocator) const {
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(spec_.dtype, Shape{total()}, allocator));
  values_.CopyTo(0, total(), out, 0);
  return out;
}

StatusOr<Tensor> FeatureListColumn::OuterSplits(Allocator* allocator) const {
  return MakeSplits(spec_.splits, example_ends_, allocator);
}

StatusOr<Tensor> FeatureListColumn::InnerSplits(Allocator* allocator) const {
  return MakeSplits(spec_.splits, row_ends_, allocator);
}

}  // namespace ramet
