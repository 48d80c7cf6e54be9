#include <algorithm>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/requantizer.h"

// Sums and products of quantized tensors.

namespace ramet {
namespace {

using Byte = uint8_t;

// The sides of a broadcast that repeat their numbers.
enum class Repeats : uint8_t { kNone, kX, kY };

// Returns the dimensions of a broadcast, the innermost first. Adjacent ones that are alike count as
// one, and those of one element do not count.
std::vector<Repeats> BroadcastDims(const Shape& x, const Shape& y) {
  if (x == y) return {Repeats::kNone};
  std::vector<Repeats> dims;
  for (int i = 1; i <= std::max(x.rank(), y.rank()); ++i) {
    const int64_t of_x = i <= x.rank() ? x.dim(x.rank() - i) : 1;
    const int64_t of_y = i <= y.rank() ? y.dim(y.rank() - i) : 1;
    if (of_x == 1 && of_y == 1) continue;
    const Repeats next = of_x == of_y ? Repeats::kNone : of_x == 1 ? Repeats::kX : Repeats::kY;
    if (dims.empty() || dims.back() != next) dims.push_back(next);
  }
  return dims;
}

// Checks that one shape has one element or is the end of the other one.
// \error kUnimplemented: they broadcast otherwise.
// \error kInvalidArgument: the shape at the end has no elements; `empty` are TensorFlow's words.
Status CheckBroadcast(const Shape& x, const Shape& y, const char* empty) {
  const std::vector<Repeats> dims = BroadcastDims(x, y);
  if (dims.size() <= 1) return OkStatus();
  if (dims.size() == 2) {
    if (std::min(x.num_elements(), y.num_elements()) == 0) return InvalidArgument(empty);
    if (dims[0] == Repeats::kNone) return OkStatus();
  }
  return Unimplemented("Broadcast between ", x, " and ", y, " is not supported yet.");
}

// Calls combine(a, b) for each pair of elements. `empty` is the error of CheckBroadcast.
template <class Combine>
Status ForEachPair(KernelContext& c, const char* empty, const Combine& combine) {
  const Tensor &x = c.input(0), &y = c.input(1);
  const StatusOr<Shape> shape = BroadcastShapes(x.shape(), y.shape());
  if (!shape.ok()) return shape.status();
  RAMET_RETURN_IF_ERROR(CheckBroadcast(x.shape(), y.shape(), empty));
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, DType::kQInt32, *shape));
  const auto* a = static_cast<const Byte*>(x.raw_data());
  const auto* b = static_cast<const Byte*>(y.raw_data());
  auto* out = static_cast<int32_t*>(z->raw_data());
  const int64_t x_size = x.num_elements(), y_size = y.num_elements();
  for (int64_t i = 0; i < z->num_elements(); ++i) {
    out[i] = combine(a[x_size == 1 ? 0 : i % x_size], b[y_size == 1 ? 0 : i % y_size]);
  }
  return OkStatus();
}

Status QuantizedAdd(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange x,
                         ReadRange(c, 2, "min_x", "max_x", BoundError::kQuotedRank));
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange y,
                         ReadRange(c, 4, "min_y", "max_y", BoundError::kQuotedRank));
  if (!(x.high > x.low)) return InvalidArgument("max_x must be larger than min_x.");
  if (!(y.high > y.low)) return InvalidArgument("max_y must be larger than min_y.");
  const QuantizedRange z = SumRange(x, y, 14);
  const WideningRequantizer of_x(x, z), of_y(y, z);
  // TensorFlow requantizes a number that it adds to all others exactly.
  const bool one_x = c.input(0).num_elements() == 1;
  const bool one_y = !one_x && c.input(1).num_elements() == 1;
  RAMET_RETURN_IF_ERROR(ForEachPair(c, "Must have some elements to add", [&](Byte a, Byte b) {
    return WrappingAdd(one_x ? RequantizedStep<Byte, int32_t>(a, x, z) : of_x(a),
                       one_y ? RequantizedStep<Byte, int32_t>(b, y, z) : of_y(b));
  }));
  return WriteRange(c, 1, z);
}

Status QuantizedMul(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange x,
                         ReadRange(c, 2, "min_x", "max_x", BoundError::kScalar));
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange y,
                         ReadRange(c, 4, "min_y", "max_y", BoundError::kScalar));
  if (!(x.high > x.low)) return InvalidArgument("max_x must be larger than min_a.");
  if (!(y.high > y.low)) return InvalidArgument("max_x must be larger than min_b.");
  const auto x_zero = static_cast<int32_t>(UnclampedStepOf<Byte>(0, x));
  const auto y_zero = static_cast<int32_t>(UnclampedStepOf<Byte>(0, y));
  RAMET_RETURN_IF_ERROR(ForEachPair(c, "vector must have at least 1 element", [&](Byte a, Byte b) {
    return WrappingMul(WrappingSub(int32_t{a}, x_zero), WrappingSub(int32_t{b}, y_zero));
  }));
  return WriteRange(c, 1, ProductRange<Byte, Byte, int32_t>(x, y));
}

template <KernelFunction kFunction>
class BytePairs {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType types[] = {DType::kQUInt8, DType::kQUInt8};
    return TypedKernel::For(node, types, DType::kQInt32, kFunction);
  }
};

Status QuantizedBinaryShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(BroadcastBinaryShape(c));
  return SetQuantizedShape(c, c.output(0));
}

Status QuantizedAddShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 2));
  return QuantizedBinaryShape(c);
}

#define RAMET_QUANTIZED_BINARY(name, function, shape, doc)                                         \
  RAMET_OP(name)                                                                                   \
      .Input("x: T1")                                                                              \
      .Input("y: T2")                                                                              \
      .Input("min_x: float")                                                                       \
      .Input("max_x: float")                                                                       \
      .Input("min_y: float")                                                                       \
      .Input("max_y: float")                                                                       \
      .Output("z: Toutput")                                                                        \
      .Output("min_z: float")                                                                      \
      .Output("max_z: float")                                                                      \
      .Attr("T1: {qint8, quint8, qint32, qint16, quint16}")                                        \
      .Attr("T2: {qint8, quint8, qint32, qint16, quint16}")                                        \
      .Attr("Toutput: {qint8, quint8, qint32, qint16, quint16} = DT_QINT32")                       \
      .Doc(doc                                                                                     \
           " of quantized numbers in the given ranges, in 32 bits. x and y have the same shape, "  \
           "or one of them has one element or is repeated along the leading dimensions of the "    \
           "other one. Error: a bound of a range is not a scalar; a range is empty; the shapes "   \
           "do not broadcast; the repeated one has no elements; they broadcast otherwise, or the " \
           "types are not quint8 and qint32 (kUnimplemented).")                                    \
      .Shape(shape)                                                                                \
      .CpuKernelClass<BytePairs<function>>()

RAMET_QUANTIZED_BINARY("QuantizedAdd", QuantizedAdd, QuantizedAddShape, "Returns the sums x + y");
RAMET_QUANTIZED_BINARY("QuantizedMul", QuantizedMul, QuantizedBinaryShape,
                       "Returns the products x * y");

}  // namespace
}  // namespace ramet
