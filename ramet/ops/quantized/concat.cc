#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/concat_shape.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/requantizer.h"

// Concatenation of quantized tensors with different ranges.

namespace ramet {
namespace {

// Input 0 is the axis; then follow n values, n lower bounds and n upper bounds.
struct QuantizedParts {
  int n = 0;
  const KernelContext& c;
  explicit QuantizedParts(const KernelContext& context)
      : n((context.num_inputs() - 1) / 3), c(context) {}
  const Tensor& value(int i) const { return c.input(1 + i); }

  Status CheckBounds() const {
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < n; ++i) {
        const Tensor& bound = c.input(1 + (k + 1) * n + i);
        if (bound.num_elements() == 1) continue;
        return InvalidArgument(k == 0 ? "input_mins" : "input_maxes",
                               " each tensor's num elements must be 1, given num elements ",
                               bound.num_elements(), " in index ", i);
      }
    }
    return OkStatus();
  }
  QuantizedRange range(int i) const {
    return {c.input(1 + n + i).data<float>()[0], c.input(1 + 2 * n + i).data<float>()[0]};
  }
  // Returns the least range that includes all ranges and 0 or starts below, apart from bounds that
  // are NaN. That of signed integers is symmetric.
  QuantizedRange Whole(bool is_signed) const {
    QuantizedRange whole{0, std::numeric_limits<float>::lowest()};
    for (int i = 0; i < n; ++i) {
      whole.low = std::min(whole.low, range(i).low);
      whole.high = std::max(whole.high, range(i).high);
    }
    if (!is_signed) return whole;
    const float largest = std::max(std::abs(whole.low), std::abs(whole.high));
    return {-largest, largest};
  }
};

StatusOr<int> ConcatDim(const Tensor& axis, int rank) {
  if (axis.rank() != 0) {
    return InvalidArgument("Concat dim tensor should be a scalar integer, but got shape ",
                           axis.shape());
  }
  const int64_t at = IntegerAt(axis, 0);
  if (at >= 0 && at < rank) return static_cast<int>(at);
  return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [0, ", rank,
                         "), but got ", at);
}

StatusOr<Shape> QuantizedConcatShape(const QuantizedParts& parts, int axis) {
  Shape shape = parts.value(0).shape();
  for (int i = 1; i < parts.n; ++i) {
    const Shape& next = parts.value(i).shape();
    if (next.rank() != shape.rank()) {
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                             parts.value(0).shape(), " vs. shape[", i, "] = ", next);
    }
    for (int d = 0; d < shape.rank(); ++d) {
      if (d == axis || next.dim(d) == shape.dim(d)) continue;
      return InvalidArgument("ConcatOp : Dimensions of inputs should match: shape[0] = ",
                             parts.value(0).shape(), " vs. shape[", i, "] = ", next);
    }
    int64_t sum;
    if (__builtin_add_overflow(shape.dim(axis), next.dim(axis), &sum)) {
      return InvalidArgument("ConcatOp : Dimension ", axis, " of ", parts.n,
                             " tensors overflows a 64-bit integer");
    }
    shape.set_dim(axis, sum);
  }
  RAMET_RETURN_IF_ERROR(shape.Validate());
  return shape;
}

// Writes input i, requantized, to rows of `row` elements from `offset` on.
template <class Rep>
void WritePart(const QuantizedParts& parts, int i, QuantizedRange whole, int64_t piece, int64_t row,
               Rep* out) {
  const Tensor& x = parts.value(i);
  const auto* in = static_cast<const Rep*>(x.raw_data());
  const QuantizedRange range = parts.range(i);
  const bool same = range.low == whole.low && range.high == whole.high;
  const RangeDequantizer<Rep> dequantize(range);
  const RangeQuantizer<Rep> quantize(whole);
  for (int64_t done = 0; done < x.num_elements(); done += piece, out += row) {
    std::transform(in + done, in + done + piece, out,
                   [&](Rep step) { return same ? step : quantize(dequantize(step)); });
  }
}

template <class Q>
Status QuantizedConcat(KernelContext& c) {
  using Rep = decltype(Q::value);
  const QuantizedParts parts(c);
  const Shape& first = parts.value(0).shape();
  RAMET_ASSIGN_OR_RETURN(const int axis, ConcatDim(c.input(0), first.rank()));
  RAMET_RETURN_IF_ERROR(parts.CheckBounds());
  RAMET_ASSIGN_OR_RETURN(const Shape shape, QuantizedConcatShape(parts, axis));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<Q>::value, shape));
  const QuantizedRange whole = parts.Whole(std::is_signed_v<Rep>);
  const int64_t row = Product(shape, axis, shape.rank());
  auto* out = static_cast<Rep*>(y->raw_data());
  for (int i = 0; i < parts.n; ++i) {
    const int64_t piece = Product(parts.value(i).shape(), axis, shape.rank());
    WritePart(parts, i, whole, piece, row, out);
    out += piece;
  }
  return WriteRange(c, 1, whole);
}

Status QuantizedConcatShapeOf(ShapeContext& c) {
  const int n = (c.num_inputs() - 1) / 3;
  RAMET_RETURN_IF_ERROR(InferConcatShape(c, {0, 1, n}));
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 1 + n));
  return SetQuantizedShape(c, c.output(0));
}

RAMET_OP("QuantizedConcat")
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Input("input_mins: N * float32")
    .Input("input_maxes: N * float32")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Doc(
        "Concatenates quantized tensors along the dimension `concat_dim`. The range of the result "
        "includes those of all tensors and 0 or starts below. Error: `concat_dim` is not a scalar "
        "or not a dimension of `values`; other dimensions differ; a bound has more than one "
        "element.")
    .HostMemory({"concat_dim"})
    .Shape(QuantizedConcatShapeOf)
    .CpuKernels<QUInt8, QInt32>([]<class Q>(KernelContext& c) { return QuantizedConcat<Q>(c); });

}  // namespace
}  // namespace ramet
