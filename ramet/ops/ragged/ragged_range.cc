#include <cmath>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

constexpr std::string_view kRangeInputs[] = {"starts", "limits", "deltas"};

// Returns the number of ranges: the length of the vectors, or 1 for three scalars.
StatusOr<int64_t> CountRanges(const KernelContext& c) {
  int64_t count = -1;
  for (int i = 0; i < 3; ++i) {
    const Tensor& x = c.input(i);
    if (x.rank() > 1) return InvalidArgument(kRangeInputs[i], " must be a scalar or vector");
    if (x.rank() == 0) continue;
    if (count >= 0 && count != x.dim(0)) {
      return InvalidArgument("starts, limits, and deltas must have the same shape");
    }
    count = x.dim(0);
  }
  return count < 0 ? 1 : count;
}

// Returns the number of elements of one range.
// \error kInvalidArgument: the step is 0, there are too many elements, or their number is NaN.
template <class T>
StatusOr<int64_t> RangeSize(T start, T limit, T delta) {
  if (delta == 0) return InvalidArgument("Requires delta != 0");
  if ((delta > 0 && start > limit) || (delta < 0 && start < limit)) return 0;
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    const Unsigned from = static_cast<Unsigned>(start), to = static_cast<Unsigned>(limit);
    const Unsigned span = delta > 0 ? to - from : from - to;
    const Unsigned step =
        delta > 0 ? static_cast<Unsigned>(delta) : Unsigned{0} - static_cast<Unsigned>(delta);
    return span == 0 ? 0 : static_cast<int64_t>((span - 1) / step + 1);
  } else {
    const T size = std::ceil(std::abs((limit - start) / delta));
    if (size < static_cast<T>(std::numeric_limits<int64_t>::max())) {
      return static_cast<int64_t>(size);
    }
    return InvalidArgument("Requires ((limit - start) / delta) <= ",
                           std::numeric_limits<int64_t>::max());
  }
}

template <class T, class Split>
Status RaggedRange(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int64_t count, CountRanges(c));
  const auto at = [&](int i, int64_t row) {
    return c.input(i).data<T>()[c.input(i).rank() == 0 ? 0 : row];
  };
  RAMET_ASSIGN_OR_RETURN(Tensor * splits, c.Allocate(0, DTypeOf<Split>::value, Shape{count + 1}));
  int64_t total = 0;
  splits->mutable_data<Split>()[0] = 0;
  for (int64_t row = 0; row < count; ++row) {
    RAMET_ASSIGN_OR_RETURN(const int64_t size, RangeSize(at(0, row), at(1, row), at(2, row)));
    if (__builtin_add_overflow(total, size, &total) || total > std::numeric_limits<Split>::max()) {
      return InvalidArgument(
          "the ranges have more elements than the dtype of the splits can "
          "count");
    }
    splits->mutable_data<Split>()[row + 1] = static_cast<Split>(total);
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(1, DTypeOf<T>::value, Shape{total}));
  T* out = values->mutable_data<T>();
  for (int64_t row = 0; row < count; ++row) {
    const Split* bounds = splits->data<Split>() + row;
    T value = at(0, row);
    for (Split k = bounds[0]; k < bounds[1]; ++k) {
      *out++ = value;
      if (k + 1 < bounds[1]) value = static_cast<T>(value + at(2, row));
    }
  }
  return OkStatus();
}

Status RaggedRangeShape(ShapeContext& c) {
  Shape counts{Shape::kUnknownDim};
  bool all_scalars = true;
  for (int i = 0; i < 3; ++i) {
    const Shape& x = c.input(i);
    if (x.rank() > 1) {
      return InvalidArgument("Shape must be at most rank 1 but is rank ", x.rank());
    }
    all_scalars = all_scalars && x.rank() == 0;
    if (x.rank() == 1) {
      RAMET_ASSIGN_OR_RETURN(counts, counts.MergeWith(x));
    }
  }
  const int64_t count = all_scalars ? 1 : counts.dim(0);
  c.set_output(0, Shape{count < 0 ? Shape::kUnknownDim : count + 1});
  c.set_output(1, Shape{Shape::kUnknownDim});
  return OkStatus();
}

template <class T>
Status RaggedRangeOf(KernelContext& c, DType splits) {
  return splits == kInt32 ? RaggedRange<T, int32_t>(c) : RaggedRange<T, int64_t>(c);
}

template <class T>
class RaggedRangeKernel final : public Kernel {
 public:
  explicit RaggedRangeKernel(DType splits) : splits_(splits) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<RaggedRangeKernel>(node.output_types[0]));
  }
  Status Compute(KernelContext& c) override { return RaggedRangeOf<T>(c, splits_); }

 private:
  const DType splits_;
};

RAMET_OP("RaggedRange")
    .Input("starts: T")
    .Input("limits: T")
    .Input("deltas: T")
    .Output("rt_nested_splits: Tsplits")
    .Output("rt_dense_values: T")
    .Attr("T: {bfloat16, float, double, int32, int64} = int32")
    .Attr("Tsplits: {int32, int64} = int64")
    .Doc(
        "Returns a ragged tensor whose row i counts from starts[i] to limits[i], exclusively, in "
        "steps of deltas[i]. Scalars apply to all rows. Error: an input is not a scalar or vector; "
        "the lengths differ; a step is 0; there are more elements than the splits can count.")
    .Shape(RaggedRangeShape)
    .NotDifferentiable()
    .CpuKernelClasses<RaggedRangeKernel, float, double, int32_t, int64_t>();

}  // namespace
}  // namespace ramet
