#include "ramet/ops/array/strided_slice.h"

#include <bit>

namespace ramet {
namespace {

bool Bit(int64_t mask, int i) { return i < 63 && (mask >> i & 1) != 0; }

// One dimension of the tensor and the slice entry that applies to it; by default the whole
// dimension.
struct Range {
  std::optional<int64_t> begin, end;
  std::optional<int64_t> stride = 1;
  bool from_start = true, to_end = true, drop = false;
};

struct Taken {
  int64_t begin, stride, count;
};

// Converts an index in [-size, size] to one from the front, clamped to where a slice with this
// stride may begin or end.
int64_t Clamped(int64_t index, int64_t size, int64_t stride) {
  const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  return std::clamp(index < 0 ? index + size : index, low, high);
}

int64_t StepsBetween(int64_t begin, int64_t end, int64_t stride) {
  const int64_t length = end - begin;
  if (length == 0 || (length < 0) != (stride < 0)) return 0;
  return length / stride + (length % stride != 0);
}

StatusOr<Taken> TakeOne(const Range& r, int64_t size, int dim) {
  if (r.stride && *r.stride <= 0) {
    return InvalidArgument("only stride 1 allowed on non-range indexing.");
  }
  if (!r.begin || size < 0) return Taken{0, 1, 1};
  const int64_t at = *r.begin < 0 ? *r.begin + size : *r.begin;
  if (at < 0 || at >= size) {
    return InvalidArgument("slice index ", at, " of dimension ", dim, " out of bounds.");
  }
  return Taken{at, 1, 1};
}

StatusOr<Taken> TakeRange(const Range& r, int64_t size, int dim) {
  if (r.stride && *r.stride == 0) return InvalidArgument("strides[", dim, "] must be non-zero");
  if (r.drop) return TakeOne(r, size, dim);
  const bool known = r.stride && (r.begin || r.from_start) && (r.end || r.to_end);
  if (!known) return Taken{0, 1, Shape::kUnknownDim};
  const int64_t stride = *r.stride;
  if (size < 0) {
    // If the size is unknown, the length is known only for a range between two indices counted from
    // the same end.
    const bool same_end = !r.from_start && !r.to_end && (*r.begin < 0) == (*r.end < 0);
    const bool empty = same_end && StepsBetween(*r.begin, *r.end, stride) == 0;
    return Taken{0, stride, empty ? 0 : Shape::kUnknownDim};
  }
  const int64_t first = stride > 0 ? 0 : size - 1, last = stride > 0 ? size : -1;
  const int64_t begin = r.from_start ? first : Clamped(*r.begin, size, stride);
  const int64_t end = r.to_end ? last : Clamped(*r.end, size, stride);
  const int64_t count = StepsBetween(begin, end, stride);
  return Taken{begin, count > 1 ? stride : 1, count};
}

Range RangeOf(const SliceEntries& entries, const SliceMasks& masks, int i) {
  auto at = [i](const Tensor* t) {
    return t ? std::optional<int64_t>(IntegerAt(*t, i)) : std::nullopt;
  };
  Range r;
  r.begin = at(entries.begin);
  r.end = at(entries.end);
  r.stride = at(entries.strides);
  r.from_start = Bit(masks.begin, i);
  r.to_end = Bit(masks.end, i);
  r.drop = Bit(masks.shrink_axis, i);
  return r;
}

Status Take(const Range& r, const Shape& shape, SlicePlan& plan) {
  const int dim = plan.begin.size();
  RAMET_ASSIGN_OR_RETURN(Taken taken, TakeRange(r, shape.dim(dim), dim));
  plan.begin.Append(taken.begin);
  plan.strides.Append(taken.stride);
  plan.counts.Append(taken.count);
  if (!r.drop) plan.result.Append(taken.count);
  const bool whole = taken.begin == 0 && taken.stride == 1 && taken.count == shape.dim(dim);
  plan.everything = plan.everything && whole;
  return OkStatus();
}

// Returns how many dimensions the entries other than the ellipsis take, and whether there is one.
StatusOr<std::pair<int, bool>> CountEntries(const SliceEntries& entries, const SliceMasks& masks) {
  int taken = 0, ellipses = 0;
  for (int i = 0; i < entries.size; ++i) {
    if (Bit(masks.ellipsis, i)) {
      ++ellipses;
    } else if (!Bit(masks.new_axis, i)) {
      ++taken;
    }
  }
  // Bits beyond the entries count too, as in TensorFlow.
  if (std::popcount(static_cast<uint32_t>(masks.ellipsis)) > 1) {
    return InvalidArgument("Multiple ellipses in slice spec not allowed");
  }
  return std::pair(taken, ellipses == 1);
}

}  // namespace

SliceMasks SliceMasks::FromAttrs(const AttrMap& attrs) {
  return {attrs.GetOr<int64_t>("begin_mask", 0), attrs.GetOr<int64_t>("end_mask", 0),
          attrs.GetOr<int64_t>("ellipsis_mask", 0), attrs.GetOr<int64_t>("new_axis_mask", 0),
          attrs.GetOr<int64_t>("shrink_axis_mask", 0)};
}

StatusOr<SlicePlan> SlicePlan::Make(const Shape& shape, const SliceEntries& entries,
                                    const SliceMasks& masks) {
  RAMET_ASSIGN_OR_RETURN(auto counted, CountEntries(entries, masks));
  const auto [taken, has_ellipsis] = counted;
  int rest = shape.rank() - taken;
  if (rest < 0) {
    return InvalidArgument("Index out of range using input dim ", shape.rank(), "; input has only ",
                           shape.rank(), " dims");
  }
  SlicePlan plan;
  for (int i = 0; i < entries.size; ++i) {
    if (Bit(masks.ellipsis, i)) {
      for (; rest > 0; --rest) RAMET_RETURN_IF_ERROR(Take(Range(), shape, plan));
    } else if (Bit(masks.new_axis, i)) {
      plan.result.Append(1);
    } else {
      RAMET_RETURN_IF_ERROR(Take(RangeOf(entries, masks, i), shape, plan));
    }
  }
  for (; rest > 0; --rest) RAMET_RETURN_IF_ERROR(Take(Range(), shape, plan));
  RAMET_ASSIGN_OR_RETURN(plan.result, Shape::Make(plan.result.dims()));
  return plan;
}

int64_t SlicePlan::Offset(const Dims& dense_strides) const {
  if (std::ranges::count(counts, 0) > 0) return 0;
  int64_t offset = 0;
  for (int i = 0; i < begin.size(); ++i) offset += begin[i] * dense_strides[i];
  return offset;
}

Dims SlicePlan::Steps(const Dims& dense_strides) const {
  Dims steps(dense_strides);
  for (int i = 0; i < steps.size(); ++i) steps[i] *= strides[i];
  return steps;
}

StatusOr<SliceEntries> CheckedEntries(const Tensor& begin, const Tensor& end,
                                      const Tensor& strides) {
  if (begin.rank() != 1 || !(begin.shape() == end.shape()) || !(begin.shape() == strides.shape()) ||
      begin.num_elements() > Shape::kMaxRank) {
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
        begin.shape(), ", ", end.shape(), ", and ", strides.shape(), " instead.");
  }
  return SliceEntries{static_cast<int>(begin.num_elements()), &begin, &end, &strides};
}

}  // namespace ramet
