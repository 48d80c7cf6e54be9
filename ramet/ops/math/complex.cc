#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/select.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Complex numbers and their parts.

namespace ramet {
namespace {

using linalg::UnaryOp;

DType RealOf(DType complex) { return complex == kComplex128 ? kDouble : kFloat; }
DType ComplexOf(DType real) { return real == kDouble ? kComplex128 : kComplex64; }

#define RAMET_COMPLEX_PART_OP(name, kind, in, out)    \
  RAMET_OP(name)                                      \
      .Foldable()                                     \
      .Input(in ": T")                                \
      .Output(out ": Tout")                           \
      .Attr("T: {complex64, complex128} = complex64") \
      .Attr("Tout: {float, double} = float")          \
      .Shape(PartShape)                               \
      .CpuKernels<RAMET_COMPLEX>(UnaryKernel<UnaryOp::kind>())

Status PartShape(ShapeContext& c) {
  const DType in = c.attrs().GetOr("T", kComplex64), out = c.attrs().GetOr("Tout", kFloat);
  if (RealOf(in) != out) {
    return InvalidArgument("the parts of ", DTypeName(in), " have dtype ", DTypeName(RealOf(in)),
                           ", but Tout is ", DTypeName(out));
  }
  return UnchangedShape(c);
}

Output MakeComplex(GradientContext& c, const Output& real, const Output& imag) {
  return c.Add("Complex", {real, imag}, {{"Tout", ComplexOf(BaseType(real.dtype()))}});
}

Status RealGradient(GradientContext& c) {
  Output grad = c.grad();
  return c.Return({MakeComplex(c, grad, ScalarLike(c, grad.dtype(), 0))});
}

Status ImagGradient(GradientContext& c) {
  Output grad = c.grad();
  return c.Return({MakeComplex(c, ScalarLike(c, grad.dtype(), 0), grad)});
}

// Returns grad * x / |x|, and 0 where x is 0.
Status ComplexAbsGradient(GradientContext& c) {
  Output grad = c.grad();
  Output complex_grad = MakeComplex(c, grad, ZerosLike(c, grad));
  Output product = complex_grad * c.input(0);
  Output size = MakeComplex(c, c.output(), ZerosLike(c, c.output()));
  return c.Return({c.Add("DivNoNan", {product, size}, {}, "div_no_nan")});
}

Status AngleGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  AttrMap part = {{"Tout", BaseType(grad.dtype())}};
  Output real = c.Add("Real", {c.input(0)}, part);
  Output imag = c.Add("Imag", {c.input(0)}, part);
  Output inverse = c.Add("Reciprocal", {MakeComplex(c, imag, real)});
  Output complex_grad = MakeComplex(c, grad, ScalarLike(c, grad.dtype(), 0));
  Output minus = -complex_grad;
  return c.Return({minus * inverse});
}

Status ComplexGradient(GradientContext& c) {
  Output grad = c.grad();
  AttrMap part = {{"Tout", BaseType(c.input(0).dtype())}};
  Output real = c.Add("Real", {grad}, part);
  return c.ReturnBroadcast(real, c.Add("Imag", {grad}, part));
}

template <class T>
Status ComplexCompute(KernelContext& c) {
  const Tensor& re = c.input(0);
  const Tensor& im = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(re.shape(), im.shape()));
  linalg::BroadcastPlan plan;
  linalg::BroadcastPlan::Make(re.shape().dims(), im.shape().dims(), &plan);
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, ComplexOf(re.dtype()), shape));
  linalg::MakeComplex(linalg::TypeOf<T>, plan, re.raw_data(), im.raw_data(), z->raw_data());
  return OkStatus();
}

Status ComplexShape(ShapeContext& c) {
  const DType in = c.attrs().GetOr("T", kFloat), out = c.attrs().GetOr("Tout", kComplex64);
  if (ComplexOf(in) == out) return BroadcastBinaryShape(c);
  return InvalidArgument("the complex dtype of ", DTypeName(in), " parts is ",
                         DTypeName(ComplexOf(in)), ", but Tout is ", DTypeName(out));
}

RAMET_OP("Complex")
    .Foldable()
    .Input("real: T")
    .Input("imag: T")
    .Output("out: Tout")
    .Attr("T: {float, double} = float")
    .Attr("Tout: {complex64, complex128} = complex64")
    .Doc(
        "Returns the complex numbers real + i * imag, element-wise with broadcasting. Error: the "
        "shapes do not broadcast; Tout is not the complex type of T.")
    .Shape(ComplexShape)
    .Gradient(ComplexGradient)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return ComplexCompute<T>(c); });

RAMET_OP("Conj")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128, variant} = complex64")
    .Doc("Returns the complex conjugate element-wise. The output has the shape of the input.")
    .Shape(UnchangedShape)
    .Gradient([](GradientContext& c) { return c.Return({Conj(c, c.grad())}); })
    .CpuKernels<RAMET_COMPLEX>(UnaryKernel<UnaryOp::kConj>());

RAMET_COMPLEX_PART_OP("Real", kReal, "input", "output")
    .Doc(
        "Returns the real part element-wise. The output has the shape of the input. Error: Tout is "
        "not the real type of T.")
    .Gradient(RealGradient);

RAMET_COMPLEX_PART_OP("Imag", kImag, "input", "output")
    .Doc(
        "Returns the imaginary part element-wise. The output has the shape of the input. Error: "
        "Tout is not the real type of T.")
    .Gradient(ImagGradient);

RAMET_COMPLEX_PART_OP("ComplexAbs", kComplexAbs, "x", "y")
    .Doc(
        "Returns the absolute value |x| element-wise. y has the shape of x. Error: Tout is not the "
        "real type of T.")
    .Gradient(ComplexAbsGradient);

RAMET_COMPLEX_PART_OP("Angle", kAngle, "input", "output")
    .Doc(
        "Returns the angle in [-pi, pi] of each complex number. The output has the shape of the "
        "input. Error: Tout is not the real type of T.")
    .Gradient(AngleGradient);

}  // namespace
}  // namespace ramet
