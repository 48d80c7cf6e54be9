#include "ramet/ops/math/gradient_util.h"

#include <complex>

#include "ramet/gradients/shape_ops.h"
#include "ramet/linalg/cast.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

// Below this number of elements, zeros_like becomes a Const.
constexpr int64_t kSmall = 1000;

std::vector<Operation> Controllers(const Output& grad) {
  if (!grad.valid()) return {};
  return {grad.op()};
}

Tensor Scalar(DType type, double value) {
  Tensor t(type, Shape());
  linalg::Cast(linalg::Type::kDouble, &value, LinalgType(type), t.raw_data(), 1);
  return t;
}

Tensor IntVector(std::span<const int64_t> values) {
  Tensor t(kInt32, Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.mutable_data<int32_t>());
  return t;
}

}  // namespace

AfterGradient::AfterGradient(GradientContext& c, const Output& grad)
    : scope_(c.graph()), after_(scope_.ControlDependencies(Controllers(grad))) {}

Output ScalarLike(GradientContext& c, DType like, double value, std::string_view name) {
  if (like == DType::kInvalid) return Output();
  return Constant(c.graph(), Scalar(BaseType(like), value), name);
}

Output Int32Vector(GradientContext& c, std::span<const int64_t> values, std::string_view name) {
  return Constant(c.graph(), IntVector(values), name);
}

Output Conj(GradientContext& c, const Output& x) {
  if (!IsComplex(BaseType(x.dtype()))) return x;
  return c.Add("Conj", {x});
}

std::string ArgumentName(GradientContext& c, std::string_view op, std::string_view arg) {
  return StrCat(c.graph().UniqueName(op, false), "/", arg, "/");
}

Output SliceOf(GradientContext& c, const Output& x, int begin, int end) {
  constexpr std::string_view kOp = "strided_slice";
  Output stack =
      Constant(c.graph(), Tensor::Vector<int32_t>({begin}), ArgumentName(c, kOp, "stack"));
  Output stop =
      Constant(c.graph(), Tensor::Vector<int32_t>({end}), ArgumentName(c, kOp, "stack_1"));
  Output step = Constant(c.graph(), Tensor::Vector<int32_t>({1}), ArgumentName(c, kOp, "stack_2"));
  AttrMap masks;
  if (begin == 0) masks.Set("begin_mask", 1);
  if (end == 0) masks.Set("end_mask", 1);
  return c.Add("StridedSlice", {x, stack, stop, step}, masks, kOp);
}

Output RangeTo(GradientContext& c, const Output& limit) {
  return c.Add("Range", {0, limit, 1}, {}, "range");
}

Output Reshape(GradientContext& c, const Output& x, const Output& shape) {
  return c.Add("Reshape", {x, shape});
}

Output Reshape(GradientContext& c, const Output& x, std::span<const int64_t> shape) {
  return c.Add("Reshape", {x, Input(IntVector(shape))});
}

Output Cast(GradientContext& c, const Output& x, DType to) {
  if (BaseType(x.dtype()) == to) return x;
  return c.Add("Cast", {x}, {{"DstT", to}});
}

Output ZerosLike(GradientContext& c, const Output& x) {
  const Shape shape = x.shape();
  if (!shape.IsFullyDefined()) return c.Add("ZerosLike", {x}, {}, "zeros_like");
  const DType type = BaseType(x.dtype());
  if (shape.num_elements() < kSmall) {
    return Constant(c.graph(), ZerosTensor(type, shape), "zeros_like");
  }
  Output dims = Int32Vector(c, shape.dims(), "zeros_like/shape_as_tensor");
  Output zero = ScalarLike(c, type, 0, "zeros_like/Const");
  return c.Add("Fill", {dims, zero}, {}, "zeros_like");
}

Output OnesLike(GradientContext& c, const Output& x, DType type) {
  const Shape shape = x.shape();
  Output dims = shape.IsFullyDefined()
                    ? Int32Vector(c, shape.dims(), "ones_like/Shape/shape_as_tensor")
                    : c.Add("Shape", {x}, {}, "ones_like/Shape");
  if (type == DType::kInvalid) type = x.dtype();
  Output one = ScalarLike(c, type, 1, "ones_like/Const");
  return c.Add("Fill", {dims, one}, {}, "ones_like");
}

bool SameKnownShape(const Output& x, const Output& y) {
  const Shape shape = x.shape();
  return shape.IsFullyDefined() && shape == y.shape();
}

Status NoGradient(GradientContext& c) { return c.Return(std::vector<Gradient>(c.num_inputs())); }

}  // namespace ramet
