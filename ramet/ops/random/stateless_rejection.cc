#include "ramet/op/op.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/random/draws.h"
#include "ramet/ops/random/stateless_seed.h"

// Random numbers of gamma and Poisson distributions that only the inputs determine.

namespace ramet {
namespace {

// Sources of the generator, and the position of the parameter after it.
struct GammaSeed {
  static constexpr int kParameter = 2;
  static StatusOr<linalg::Philox> Generator(const KernelContext& c) {
    return GeneratorFromSeed(c.input(1));
  }
  static Status CheckShapes(ShapeContext& c) { return CheckSeedShape(c); }
};
struct GammaKey {
  static constexpr int kParameter = 4;
  static StatusOr<linalg::Philox> Generator(const KernelContext& c) {
    constexpr int32_t kThreeFry = 2;
    // TensorFlow does not draw these numbers with ThreeFry either.
    if (c.input(3).rank() == 0 && c.input(3).scalar<int32_t>() == kThreeFry) {
      return InvalidArgument("Unsupported algorithm id: ", kThreeFry);
    }
    return GeneratorFromKey(c);
  }
  static Status CheckShapes(ShapeContext& c) { return CheckKeyShapes(c); }
};

template <class Source>
Status RejectionShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(Source::CheckShapes(c));
  return ShapeFromInput<0>(c);
}

// Allocates the output and calls draw(generator, samples per parameter, output) if it has elements.
// Like TensorFlow, does not compare the shape of an empty output with that of the parameters.
template <class Source, class Draw>
Status DrawInto(KernelContext& c, DType dtype, const Draw& draw) {
  const Tensor& parameters = c.input(Source::kParameter);
  RAMET_ASSIGN_OR_RETURN(const linalg::Philox generator, Source::Generator(c));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, ShapeArg(c.input(0), "shape"));
  if (shape.num_elements() == 0) return c.Allocate(0, dtype, shape).status();
  RAMET_RETURN_IF_ERROR(SampledShape(c, 0, parameters.shape()).status());
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype, shape));
  return draw(generator, y->num_elements() / parameters.num_elements(), *y);
}

template <class Source>
Status StatelessGamma(KernelContext& c) {
  const Tensor& alpha = c.input(Source::kParameter);
  return DrawInto<Source>(c, alpha.dtype(),
                          [&](const linalg::Philox& generator, int64_t samples, Tensor& y) {
                            DrawGamma(alpha, generator, samples, y);
                            return OkStatus();
                          });
}

class StatelessPoisson final : public Kernel {
 public:
  explicit StatelessPoisson(DType dtype) : dtype_(dtype) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<StatelessPoisson>(node.output_types[0]);
  }
  Status Compute(KernelContext& c) override {
    return DrawInto<GammaSeed>(
        c, dtype_, [&](const linalg::Philox& generator, int64_t samples, Tensor& y) {
          return DrawPoisson(c, c.input(GammaSeed::kParameter), generator, samples, y);
        });
  }

 private:
  const DType dtype_;
};

// The derivatives by alpha, summed over the samples.
template <class Source>
Status StatelessGammaGradient(GradientContext& c) {
  const Output grad = c.grad(), shape = c.input(0), alpha = c.input(Source::kParameter);
  AfterGradient after(c, grad);
  const Output rank = ElementAt(c, ShapeOf(c, shape), 0) - RankOf(c, alpha);
  const Output packed = c.Add("Pack", {rank}, {{"N", int64_t{1}}}, "ones/packed");
  const Output one = Constant(c.graph(), Tensor(int32_t{1}), "ones/Const");
  const Output ones = c.Add("Fill", {packed, one}, {}, "ones");
  const Output broadcast = Reshape(c, alpha, ConcatVectors(c, {ones, ShapeOf(c, alpha)}));
  const Output partial = c.Add("RandomGammaGrad", {broadcast, c.output()});
  const Output sum = c.Add("Sum", {grad * partial, RangeTo(c, rank)});
  std::vector<Gradient> grads(Source::kParameter);
  grads.emplace_back(sum);
  return c.Return(std::move(grads));
}

#define RAMET_SAMPLES_DOC                                                                        \
  "The output has the shape `shape`, a vector, which ends with the shape of the parameters. "    \
  "The numbers depend only on the inputs and are the same as TensorFlow's, for any number of "   \
  "threads. Error: `shape` is not a vector, has a negative element or ends differently, unless " \
  "it has no elements; "

RAMET_OP("StatelessRandomGammaV2")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Doc(
        "Draws numbers from the gamma distributions with the shape parameters `alpha` and scale "
        "1. " RAMET_SAMPLES_DOC "`seed` does not have two elements.")
    .HostMemory({"shape", "seed"})
    .Shape(RejectionShape<GammaSeed>)
    .Gradient(StatelessGammaGradient<GammaSeed>)
    .CpuKernel(StatelessGamma<GammaSeed>);

RAMET_OP("StatelessRandomGammaV3")
    .Input("shape: shape_dtype")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("shape_dtype: {int32, int64} = DT_INT32")
    .Doc(
        "Draws numbers as StatelessRandomGammaV2 does, from a generator with `key` ([1]), "
        "`counter` ([2]) and `alg` (1 is Philox; 3 selects it automatically). " RAMET_SAMPLES_DOC
        "`key` or `counter` is too short; `alg` is not a scalar or is unknown, such as 2, "
        "ThreeFry.")
    .HostMemory({"shape", "key", "counter", "alg"})
    .Shape(RejectionShape<GammaKey>)
    .Gradient(StatelessGammaGradient<GammaKey>)
    .CpuKernel(StatelessGamma<GammaKey>);

RAMET_OP("StatelessRandomPoisson")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("lam: Rtype")
    .Output("output: dtype")
    .Attr("Rtype: {half, float, double, int32, int64}")
    .Attr("dtype: {half, float, double, int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Doc("Draws numbers from the Poisson distributions with the means `lam`. " RAMET_SAMPLES_DOC
         "`seed` does not have two elements; a mean is NaN or does not fit into dtype.")
    .HostMemory({"shape", "seed"})
    .Shape(RejectionShape<GammaSeed>)
    .NotDifferentiable()
    .CpuKernelClass<StatelessPoisson>();

}  // namespace
}  // namespace ramet
