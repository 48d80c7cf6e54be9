#include "ramet/linalg/random_binomial.h"

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/random/draws.h"
#include "ramet/ops/random/generator_variable.h"
#include "ramet/ops/random/stateless_seed.h"

// Random numbers of binomial distributions.

namespace ramet {
namespace {

// Sources of the generator for `samples` numbers of each of `size` distributions, and the positions
// of the inputs.
struct BinomialSeed {
  static constexpr int kShape = 0, kCounts = 2;
  static StatusOr<linalg::Philox> Generator(KernelContext& c, int64_t, int64_t) {
    return GeneratorFromSeed(c.input(1));
  }
  static Status InferShape(ShapeContext& c) {
    RAMET_RETURN_IF_ERROR(CheckSeedShape(c));
    return ShapeFromInput<kShape>(c);
  }
};
struct BinomialVariable {
  static constexpr int kShape = 2, kCounts = 3;
  // TensorFlow takes 50 values for each of the samples, whose number is rounded up.
  static StatusOr<linalg::Philox> Generator(KernelContext& c, int64_t size, int64_t samples) {
    const uint64_t taken =
        static_cast<uint64_t>(size) * 2 * 100 * (static_cast<uint64_t>(samples) + 3) / 4;
    return TakeGenerator(c, static_cast<int64_t>(taken));
  }
  static Status InferShape(ShapeContext& c) {
    RAMET_RETURN_IF_ERROR(c.WithRank(0, 0).status());
    RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
    return ShapeFromInput<kShape>(c);
  }
};

template <class Source>
class BinomialKernel final : public Kernel {
 public:
  explicit BinomialKernel(DType dtype) : dtype_(dtype) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<BinomialKernel>(node.output_types[0]);
  }

  Status Compute(KernelContext& c) override {
    const Tensor& shape = c.input(Source::kShape);
    if (shape.rank() != 1) {
      return InvalidArgument("Input shape should be a vector, got shape: ", shape.shape());
    }
    RAMET_ASSIGN_OR_RETURN(const Shape batch, BatchShape(c));
    RAMET_ASSIGN_OR_RETURN(const Shape sampled, SampledShape(c, Source::kShape, batch));
    const int64_t samples = Product(sampled, 0, sampled.rank() - batch.rank());
    RAMET_ASSIGN_OR_RETURN(const linalg::Philox generator,
                           Source::Generator(c, batch.num_elements(), samples));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, sampled));
    if (y->num_elements() == 0) return OkStatus();
    return Draw(c, batch, generator, samples, *y);
  }

 private:
  static StatusOr<Shape> BatchShape(KernelContext& c) {
    const Shape& counts = c.input(Source::kCounts).shape();
    const Shape& probs = c.input(Source::kCounts + 1).shape();
    StatusOr<Shape> batch = BroadcastShapes(counts, probs);
    if (batch.ok()) return batch;
    return InvalidArgument("counts and probs must have compatible batch dimensions: ", counts,
                           " vs. ", probs);
  }

  static StatusOr<Tensor> Parameter(KernelContext& c, int input, const Shape& batch) {
    RAMET_ASSIGN_OR_RETURN(const Tensor doubles, AsDoubles(c, c.input(input)));
    return BroadcastParameter(c, doubles, batch);
  }

  static Status Draw(KernelContext& c, const Shape& batch, const linalg::Philox& generator,
                     int64_t samples, Tensor& y) {
    RAMET_ASSIGN_OR_RETURN(const Tensor counts, Parameter(c, Source::kCounts, batch));
    RAMET_ASSIGN_OR_RETURN(const Tensor probs, Parameter(c, Source::kCounts + 1, batch));
    const linalg::Binomials binomials{counts.data<double>(), probs.data<double>(),
                                      batch.num_elements(),
                                      LinalgType(c.input(Source::kCounts).dtype())};
    for (int64_t i = 0; i < binomials.size; ++i) {
      if (linalg::CanSampleBinomial(binomials.counts[i], binomials.probs[i])) continue;
      return InvalidArgument("counts must not be NaN");
    }
    linalg::FillBinomial(LinalgType(y.dtype()), generator, binomials, y.raw_data(), samples);
    return OkStatus();
  }

  const DType dtype_;
};

#define RAMET_BINOMIAL_DOC                                                                     \
  "Draws the number of successes in `counts` independent trials that each succeed with the "   \
  "probability `probs`. Counts and probabilities are broadcast. The output has the shape "     \
  "`shape`, a vector, which ends with the shape of the parameters. The numbers are the same "  \
  "as TensorFlow's, for any number of threads. A probability outside of [0, 1] counts as the " \
  "nearer bound. Error: `shape` is not a vector, has a negative element or ends differently; " \
  "the parameters do not broadcast; a count is NaN; "

RAMET_OP("StatelessRandomBinomial")
    .Input("shape: S")
    .Input("seed: Tseed")
    .Input("counts: T")
    .Input("probs: T")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("T: {half, float, double, int32, int64} = DT_DOUBLE")
    .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
    .Doc(RAMET_BINOMIAL_DOC "`seed` does not have two elements.")
    .HostMemory({"shape", "seed"})
    .Shape(BinomialSeed::InferShape)
    .NotDifferentiable()
    .CpuKernelClass<BinomialKernel<BinomialSeed>>();

RAMET_OP("StatefulRandomBinomial")
    .Input("resource: resource")
    .Input("algorithm: int64")
    .Input("shape: S")
    .Input("counts: T")
    .Input("probs: T")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("T: {half, float, double, int32, int64} = DT_DOUBLE")
    .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
    .Doc(RAMET_BINOMIAL_DOC
         "`algorithm` is not 1, Philox; the variable `resource` is not an int64 vector with at "
         "least 3 elements, the counter and key of a generator, which the op advances.")
    .Stateful()
    .HostMemory({"algorithm", "shape"})
    .Shape(BinomialVariable::InferShape)
    .CpuKernelClass<BinomialKernel<BinomialVariable>>();

}  // namespace
}  // namespace ramet
