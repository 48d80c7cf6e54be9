#include <cmath>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

// The type used for counting: float for half and bfloat16.
template <class T>
struct RangeNumber {
  using type = T;
};
template <>
struct RangeNumber<Half> {
  using type = float;
};
template <>
struct RangeNumber<BFloat16> {
  using type = float;
};

Status TooLong() {
  return InvalidArgument("Requires ((limit - start) / delta) <= ",
                         std::numeric_limits<int64_t>::max());
}

// T is the dtype whose arithmetic decides how many steps there are, as in TensorFlow.
template <class T, class N>
StatusOr<int64_t> RangeSize(N start, N limit, N delta) {
  if (delta == N(0)) return InvalidArgument("Requires delta != 0: ", delta);
  if (delta > N(0) ? !(start <= limit) : !(start >= limit)) {
    const char order = delta > N(0) ? '<' : '>';
    return InvalidArgument("Requires start ", order, "= limit when delta ",
                           order == '<' ? '>' : '<', " 0: ", start, "/", limit);
  }
  if constexpr (std::is_floating_point_v<N>) {
    const N span = static_cast<N>(static_cast<T>(limit - start));
    const N steps = std::ceil(std::abs(static_cast<N>(static_cast<T>(span / delta))));
    if (!(steps < N(0x1p63))) return TooLong();
    return static_cast<int64_t>(steps);
  } else {
    const auto wide = [](N v) { return static_cast<__int128>(v); };
    const __int128 span = wide(limit) - wide(start), step = wide(delta);
    const __int128 steps = (span + step - (step > 0 ? 1 : -1)) / step;
    if (steps > std::numeric_limits<int64_t>::max()) return TooLong();
    return static_cast<int64_t>(steps);
  }
}

Status CheckScalars(KernelContext& c) {
  constexpr const char* kNames[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    if (c.input(i).num_elements() == 1 && c.input(i).rank() <= 1) continue;
    return InvalidArgument(kNames[i], " must be a scalar, not shape ", c.input(i).shape());
  }
  return OkStatus();
}

template <class T>
Status RangeCompute(KernelContext& c) {
  using N = typename RangeNumber<T>::type;
  RAMET_RETURN_IF_ERROR(CheckScalars(c));
  const N start = static_cast<N>(c.input(0).scalar<T>());
  const N limit = static_cast<N>(c.input(1).scalar<T>());
  const N delta = static_cast<N>(c.input(2).scalar<T>());
  RAMET_ASSIGN_OR_RETURN(int64_t size, RangeSize<T>(start, limit, delta));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, Shape{size}));
  T* out = y->mutable_data<T>();
  N value = start;
  for (int64_t i = 0; i < size; ++i) {
    out[i] = static_cast<T>(value);
    if (i + 1 < size) value = static_cast<N>(value + delta);
  }
  return OkStatus();
}

template <class T>
StatusOr<int64_t> KnownSize(ShapeContext& c) {
  using N = typename RangeNumber<T>::type;
  return RangeSize<T>(static_cast<N>(c.constant(0)->scalar<T>()),
                      static_cast<N>(c.constant(1)->scalar<T>()),
                      static_cast<N>(c.constant(2)->scalar<T>()));
}

StatusOr<int64_t> KnownSizeOf(ShapeContext& c, DType type) {
  switch (type) {
    case kInt32: return KnownSize<int32_t>(c);
    case kInt64: return KnownSize<int64_t>(c);
    case kFloat: return KnownSize<float>(c);
    case kDouble: return KnownSize<double>(c);
    case kHalf: return KnownSize<Half>(c);
    case kBFloat16: return KnownSize<BFloat16>(c);
    default: return Shape::kUnknownDim;
  }
}

Status RangeShape(ShapeContext& c) {
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
    known = known && c.constant(i) != nullptr;
  }
  int64_t size = Shape::kUnknownDim;
  if (known) {
    RAMET_ASSIGN_OR_RETURN(size, KnownSizeOf(c, c.constant(0)->dtype()));
  }
  c.set_output(0, {size});
  return OkStatus();
}

RAMET_OP("Range")
    .Foldable()
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr(
        "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} "
        "= int32")
    .HostMemory({"start", "limit", "delta"})
    .Doc(
        "Returns the vector start, start + delta, start + 2 * delta, ... up to but not including "
        "limit. Error: an input is not a scalar; delta is 0 or leads away from limit; the vector "
        "has more than 2^63 - 1 elements.")
    .Shape(RangeShape)
    .CpuKernels<RAMET_FLOATS, int32_t, int64_t>(
        []<class T>(KernelContext& c) { return RangeCompute<T>(c); }, "Tidx")
    .NotDifferentiable();

template <class T>
Status LinSpaceCompute(KernelContext& c) {
  constexpr const char* kNames[] = {"start", "stop", "num"};
  for (int i = 0; i < 3; ++i) {
    if (c.input(i).rank() == 0) continue;
    return InvalidArgument(kNames[i], " must be a scalar, not shape ", c.input(i).shape());
  }
  const int64_t num = IntegerAt(c.input(2), 0);
  if (num <= 0) return InvalidArgument("Requires num > 0: ", num);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, Shape{num}));
  using N = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const N start = static_cast<N>(c.input(0).scalar<T>());
  const N stop = static_cast<N>(c.input(1).scalar<T>());
  const N step = num > 1 ? (stop - start) / static_cast<N>(num - 1) : N(0);
  T* out = y->mutable_data<T>();
  for (int64_t i = 0; i < num; ++i) out[i] = static_cast<T>(start + step * static_cast<N>(i));
  out[0] = c.input(0).scalar<T>();  // not start + step * 0, which is NaN for an infinite step
  if (num > 1) out[num - 1] = c.input(1).scalar<T>();
  return OkStatus();
}

Status LinSpaceShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  const Tensor* num = c.constant(2);
  if (num != nullptr && IntegerAt(*num, 0) <= 0) {
    return InvalidArgument("Requires num > 0: ", IntegerAt(*num, 0));
  }
  c.set_output(0, {num != nullptr ? IntegerAt(*num, 0) : Shape::kUnknownDim});
  return OkStatus();
}

RAMET_OP("LinSpace")
    .Foldable()
    .Input("start: T")
    .Input("stop: T")
    .Input("num: Tidx")
    .Output("output: T")
    .Attr(kAttrFloats)
    .Attr("Tidx: {int32, int64} = int32")
    .HostMemory({"start", "stop", "num"})
    .Doc(
        "Returns `num` evenly spaced numbers from start to stop, or only start if num is 1. Error: "
        "an input is not a scalar; num is not positive.")
    .Shape(LinSpaceShape)
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) { return LinSpaceCompute<T>(c); })
    .NotDifferentiable();

}  // namespace
}  // namespace ramet
