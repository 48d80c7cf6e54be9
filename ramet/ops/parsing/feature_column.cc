#include "ramet/ops/parsing/feature_column.h"

#include <algorithm>

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

template <class T, class Stored, class Reader>
FeatureColumn::Outcome ReadInto(Stored* out, size_t expected, size_t* count, Reader&& read) {
  BoundedSink<T, Stored> sink(out, expected);
  if (!read(sink)) return FeatureColumn::Outcome::kMalformed;
  *count = sink.count();
  return *count == expected ? FeatureColumn::Outcome::kRead : FeatureColumn::Outcome::kWrongCount;
}

}  // namespace

int64_t LargestStep(const std::vector<int64_t>& ends) {
  int64_t largest = 0, begin = 0;
  for (const int64_t end : ends) {
    largest = std::max(largest, end - begin);
    begin = end;
  }
  return largest;
}

StatusOr<Tensor> MakeSplits(DType dtype, const std::vector<int64_t>& ends, Allocator* allocator) {
  const int64_t count = std::ssize(ends) + 1;
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, Shape{count}, allocator));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t split = i == 0 ? 0 : ends[i - 1];
    if (dtype == kInt64) {
      out.mutable_data<int64_t>()[i] = split;
    } else {
      out.mutable_data<int32_t>()[i] = static_cast<int32_t>(split);
    }
  }
  return out;
}

Status FeatureColumn::Start(int64_t examples, Allocator* allocator) {
  if (spec_.form != FeatureSpec::Form::kFixed) {
    ends_.reserve(static_cast<size_t>(examples));
    return OkStatus();
  }
  const Shape shape = rank_ == Rank::kOne ? spec_.shape : Shape{examples}.Concatenate(spec_.shape);
  RAMET_ASSIGN_OR_RETURN(fixed_, Tensor::Allocate(spec_.dtype, shape, allocator));
  return OkStatus();
}

FeatureColumn::Outcome FeatureColumn::Read(int64_t i, const SerializedFeature& feature,
                                           size_t* count) {
  if (spec_.form == FeatureSpec::Form::kFixed) return ReadFixed(i, feature, count);
  const size_t old = values_.size(spec_.dtype);
  if (!values_.Append(feature)) return Outcome::kMalformed;
  const size_t total = values_.size(spec_.dtype);
  *count = total - old;
  ends_.push_back(static_cast<int64_t>(total));
  if (spec_.form != FeatureSpec::Form::kPadded) return Outcome::kRead;
  const auto stride = static_cast<size_t>(spec_.stride());
  const bool fits = stride == 0 ? *count == 0 : *count % stride == 0;
  return fits ? Outcome::kRead : Outcome::kWrongCount;
}

FeatureColumn::Outcome FeatureColumn::ReadFixed(int64_t i, const SerializedFeature& feature,
                                                size_t* count) {
  const int64_t stride = spec_.stride(), begin = i * stride;
  const auto expected = static_cast<size_t>(stride);
  if (spec_.dtype == kInt64) {
    return ReadInto<int64_t>(fixed_.mutable_data<int64_t>() + begin, expected, count,
                             [&](auto& sink) { return ReadInt64List(feature.list, sink); });
  }
  if (spec_.dtype == kFloat) {
    return ReadInto<float>(fixed_.mutable_data<float>() + begin, expected, count,
                           [&](auto& sink) { return ReadFloatList(feature.list, sink); });
  }
  return ReadInto<std::string_view>(fixed_.mutable_data<std::string>() + begin, expected, count,
                                    [&](auto& sink) { return ReadBytesList(feature.list, sink); });
}

void FeatureColumn::UseFallback(int64_t i) {
  if (spec_.form != FeatureSpec::Form::kFixed) {
    ends_.push_back(ends_.empty() ? 0 : ends_.back());
    return;
  }
  CopyElements(spec_.fallback, 0, fixed_, i * spec_.stride(), spec_.stride());
}

int64_t FeatureColumn::longest() const { return LargestStep(ends_); }

StatusOr<Tensor> FeatureColumn::Dense(Allocator* allocator) {
  if (spec_.form == FeatureSpec::Form::kFixed) return std::move(fixed_);
  return Padded(allocator);
}

StatusOr<Tensor> FeatureColumn::Padded(Allocator* allocator) const {
  const int64_t stride = spec_.stride(), rows = stride == 0 ? 0 : longest() / stride;
  Shape shape{rows};
  if (rank_ == Rank::kBatch) shape = Shape{std::ssize(ends_)}.Concatenate(shape);
  RAMET_ASSIGN_OR_RETURN(Tensor out,
                         Tensor::Allocate(spec_.dtype, shape.Concatenate(spec_.shape), allocator));
  int64_t begin = 0, to = 0;
  for (const int64_t end : ends_) {
    values_.CopyTo(begin, end - begin, out, to);
    for (int64_t i = to + end - begin; i < to + rows * stride; ++i) {
      CopyElements(spec_.fallback, 0, out, i, 1);
    }
    begin = end;
    to += rows * stride;
  }
  return out;
}

StatusOr<Tensor> FeatureColumn::SparseIndices(Allocator* allocator) const {
  const int64_t total = ends_.empty() ? 0 : ends_.back(), width = rank_ == Rank::kOne ? 1 : 2;
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(kInt64, Shape{total, width}, allocator));
  int64_t* at = out.mutable_data<int64_t>();
  int64_t begin = 0;
  for (int64_t example = 0; example < std::ssize(ends_); ++example) {
    for (int64_t i = begin; i < ends_[example]; ++i) {
      if (width == 2) *at++ = example;
      *at++ = i - begin;
    }
    begin = ends_[example];
  }
  return out;
}

StatusOr<Tensor> FeatureColumn::SparseShape(Allocator* allocator) const {
  const int64_t width = rank_ == Rank::kOne ? 1 : 2;
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(kInt64, Shape{width}, allocator));
  int64_t* dims = out.mutable_data<int64_t>();
  if (width == 2) *dims++ = std::ssize(ends_);
  *dims = longest();
  return out;
}

StatusOr<Tensor> FeatureColumn::Values(Allocator* allocator) const {
  const int64_t total = ends_.empty() ? 0 : ends_.back();
  RAMET_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(spec_.dtype, Shape{total}, allocator));
  values_.CopyTo(0, total, out, 0);
  return out;
}

StatusOr<Tensor> FeatureColumn::RowSplits(Allocator* allocator) const {
  if (rank_ == Rank::kOne) return Tensor::Allocate(spec_.splits, Shape{0}, allocator);
  return MakeSplits(spec_.splits, ends_, allocator);
}

}  // namespace ramet
