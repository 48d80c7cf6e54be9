#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/random/draws.h"
#include "ramet/ops/random/random_state.h"

// Random numbers of distributions whose parameters are tensors: gamma and Poisson.

namespace ramet {
namespace {

// Samples of each element of a tensor of parameters: the shape of one draw, followed by that of the
// parameters.
struct SampleShape {
  Shape shape;
  int64_t samples = 0;
};

StatusOr<SampleShape> SampleShapeOf(const Tensor& shape, const Tensor& parameters) {
  RAMET_ASSIGN_OR_RETURN(Shape samples, ShapeArg(shape, "shape"));
  SampleShape result{samples.Concatenate(parameters.shape()), samples.num_elements()};
  RAMET_RETURN_IF_ERROR(result.shape.Validate());
  return result;
}

Status SamplesShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape samples, c.constant_as_shape(0));
  c.set_output(0, samples.Concatenate(c.input(1)));
  return OkStatus();
}

class GammaKernel final : public Kernel {
 public:
  static std::unique_ptr<GammaKernel> Make(const KernelNode& node) {
    return std::make_unique<GammaKernel>(*node.attrs);
  }
  explicit GammaKernel(const AttrMap& attrs) : random_(attrs) {}

  Status Compute(KernelContext& c) override {
    const Tensor& alpha = c.input(1);
    RAMET_ASSIGN_OR_RETURN(SampleShape size, SampleShapeOf(c.input(0), alpha));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, alpha.dtype(), size.shape));
    const int64_t n = y->num_elements();
    if (n == 0) return OkStatus();
    DrawGamma(alpha, random_.Reserve(n), size.samples, *y);
    return OkStatus();
  }

 private:
  RandomState random_;
};

class PoissonKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DType dtype, node.attrs->Get<DType>("dtype"));
    return std::make_unique<PoissonKernel>(*node.attrs, dtype);
  }
  PoissonKernel(const AttrMap& attrs, DType dtype) : dtype_(dtype), random_(attrs) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(SampleShape size, SampleShapeOf(c.input(0), c.input(1)));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, size.shape));
    const int64_t n = y->num_elements();
    if (n == 0) return OkStatus();
    return DrawPoisson(c, c.input(1), random_.Reserve(n), size.samples, *y);
  }

 private:
  const DType dtype_;
  RandomState random_;
};

// The derivatives by alpha, summed over the samples.
Status GammaGradient(GradientContext& c) {
  Output grad = c.grad(), shape = c.input(0), alpha = c.input(1), sample = c.output();
  AfterGradient after(c, grad);
  Output rank = ElementAt(c, ShapeOf(c, shape), 0);
  Output packed = c.Add("Pack", {rank}, {{"N", int64_t{1}}}, "ones/packed");
  Output ones =
      c.Add("Fill", {packed, Constant(c.graph(), Tensor(int32_t{1}), "ones/Const")}, {}, "ones");
  Output broadcastable = Reshape(c, alpha, ConcatVectors(c, {ones, ShapeOf(c, alpha)}));
  Output partial = c.Add("RandomGammaGrad", {broadcastable, sample});
  Output sum = c.Add("Sum", {grad * partial, RangeTo(c, rank)});
  return c.Return({Gradient(), sum});
}

#define RAMET_SAMPLES(name)                     \
  RAMET_OP(name)                                \
      .Input("shape: S")                        \
      .Attr("seed: int = 0")                    \
      .Attr("seed2: int = 0")                   \
      .AttrRange("seed", INT64_MIN, INT64_MAX)  \
      .AttrRange("seed2", INT64_MIN, INT64_MAX) \
      .Attr("S: {int32, int64}")                \
      .Stateful()                               \
      .HostMemory({"shape"})                    \
      .Shape(SamplesShape)

}  // namespace

RAMET_SAMPLES("RandomGamma")
    .Input("alpha: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Doc(
        "Draws numbers from the gamma distributions with the shape parameters `alpha` and scale 1. "
        "The output has the shape `shape`, a vector, followed by the shape of alpha. Seeds and "
        "successive runs behave as in RandomUniform. Error: `shape` is not a vector or has a "
        "negative element.")
    .Gradient(GammaGradient)
    .CpuKernelClass<GammaKernel>();

RAMET_SAMPLES("RandomPoisson")
    .Input("rate: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Doc(
        "Draws numbers from the Poisson distributions with the means `rate`. The output has the "
        "shape `shape`, a vector, followed by the shape of rate. Seeds and successive runs behave "
        "as in RandomUniform. Error: `shape` is not a vector or has a negative element; a rate is "
        "NaN or does not fit into dtype.")
    .CpuKernelClass<PoissonKernel>();

RAMET_SAMPLES("RandomPoissonV2")
    .Input("rate: R")
    .Output("output: dtype")
    .Attr("R: {half, float, double, int32, int64} = double")
    .Attr("dtype: {half, float, double, int32, int64} = int64")
    .Doc("Draws numbers as RandomPoisson does, also as integers. Error: as RandomPoisson.")
    .CpuKernelClass<PoissonKernel>();

}  // namespace ramet
