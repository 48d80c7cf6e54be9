#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/random_bits.h"
#include "ramet/op/device_rows.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/random/random_state.h"
#include "ramet/ops/random/stateless_seed.h"

namespace ramet {
namespace {

// Sets cdf[j] to the sum over i <= j of exp(logits[i] - largest) and returns the total. Classes
// whose logit is not finite add nothing.
double CumulativeWeights(std::span<const double> logits, std::vector<double>& cdf) {
  double largest = std::numeric_limits<double>::lowest();
  for (double x : logits) {
    if (std::isfinite(x)) largest = std::max(largest, x);
  }
  double total = 0;
  for (size_t j = 0; j < logits.size(); ++j) {
    if (std::isfinite(logits[j])) total += std::exp(logits[j] - largest);
    cdf[j] = total;
  }
  return total;
}

Status CheckArgs(const Tensor& logits, const Tensor& num_samples) {
  if (logits.rank() != 2) {
    return InvalidArgument("logits should be a matrix, got shape ", logits.shape());
  }
  if (num_samples.rank() != 0) {
    return InvalidArgument("num_samples should be a scalar, got shape ", num_samples.shape());
  }
  if (num_samples.scalar<int32_t>() < 0) {
    return InvalidArgument("num_samples should be nonnegative, got ",
                           num_samples.scalar<int32_t>());
  }
  if (logits.dim(1) < 1) {
    return InvalidArgument("num_classes should be positive, got ", logits.dim(1));
  }
  return OkStatus();
}

// Draws classes of input 0 as often as input 1 says. reserve(count) returns the generator for that
// many words.
class Sampler {
 public:
  explicit Sampler(const KernelNode& node)
      : dtype_(node.attrs->GetOr<DType>("output_dtype", DType::kInt64)) {}

  template <class Reserve>
  Status Run(KernelContext& c, Reserve&& reserve) const {
    RAMET_RETURN_IF_ERROR(CheckArgs(c.input(0), c.input(1)));
    const int64_t rows = c.input(0).dim(0), n = c.input(1).scalar<int32_t>();
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, dtype_, Shape{rows, n}));
    if (y->num_elements() == 0) return OkStatus();
    // Each number uses two words, and each row a multiple of four numbers.
    linalg::Philox generator = reserve(rows * ((n + 3) / 4 * 4) * 2);
    if (const DeviceRows* device = DeviceRows::Of(*y)) {
      return device->DrawClasses(generator, c.input(0), *y);
    }
    RAMET_ASSIGN_OR_RETURN(Tensor logits, c.AllocateTemp(DType::kDouble, c.input(0).shape()));
    linalg::Cast(LinalgType(c.input(0).dtype()), c.input(0).raw_data(), linalg::Type::kDouble,
                 logits.raw_data(), logits.num_elements());
    if (dtype_ == DType::kInt32) {
      Sample<int32_t>(logits, n, generator, *y);
    } else {
      Sample<int64_t>(logits, n, generator, *y);
    }
    return OkStatus();
  }

 private:
  template <class T>
  static void Sample(const Tensor& logits, int64_t n, linalg::Philox& generator, Tensor& y) {
    const int64_t rows = logits.dim(0), classes = logits.dim(1);
    linalg::WordStream word(&generator);
    std::vector<double> cdf(classes);
    for (int64_t row = 0; row < rows; ++row) {
      const double total =
          CumulativeWeights(logits.flat<double>().subspan(row * classes, classes), cdf);
      for (int64_t i = 0; i < n; ++i) {
        const auto found = std::upper_bound(cdf.begin(), cdf.end(), word.NextDouble() * total);
        y.mutable_data<T>()[row * n + i] = static_cast<T>(found - cdf.begin());
      }
    }
  }

  const DType dtype_;
};

class MultinomialKernel final : public Kernel {
 public:
  explicit MultinomialKernel(const KernelNode& node) : sampler_(node), random_(*node.attrs) {}
  static std::unique_ptr<MultinomialKernel> Make(const KernelNode& node) {
    return std::make_unique<MultinomialKernel>(node);
  }
  Status Compute(KernelContext& c) override {
    return sampler_.Run(c, [this](int64_t count) { return random_.Reserve(count); });
  }

 private:
  const Sampler sampler_;
  RandomState random_;
};

class StatelessMultinomialKernel final : public Kernel {
 public:
  explicit StatelessMultinomialKernel(const KernelNode& node) : sampler_(node) {}
  static std::unique_ptr<StatelessMultinomialKernel> Make(const KernelNode& node) {
    return std::make_unique<StatelessMultinomialKernel>(node);
  }
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const linalg::Philox generator, GeneratorFromSeed(c.input(2)));
    return sampler_.Run(c, [&](int64_t) { return generator; });
  }

 private:
  const Sampler sampler_;
};

Status MultinomialShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape logits, c.WithRank(0, 2));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, Shape{logits.dim(0), KnownScalar(c, 1).value_or(Shape::kUnknownDim)});
  return OkStatus();
}

}  // namespace

RAMET_OP("Multinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Output("output: output_dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .Attr("T: realnumbertype")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .Doc(
        "Draws num_samples (a scalar) classes for each row of `logits`, [rows, classes], with the "
        "probabilities softmax(logits). The output is [rows, num_samples]. Seeds and successive "
        "runs behave as in RandomUniform. The numbers are the same as TensorFlow's if TensorFlow "
        "draws all rows in one thread. Error: `logits` is not a matrix; there are no classes; "
        "num_samples is not a scalar or is negative.")
    .Stateful()
    .HostMemory({"num_samples"})
    .Shape(MultinomialShape)
    .NotDifferentiable()
    .CpuKernelClass<MultinomialKernel>();

RAMET_OP("StatelessMultinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Input("seed: Tseed")
    .Output("output: output_dtype")
    .Attr("T: realnumbertype")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .Doc(
        "Like Multinomial, with numbers that depend only on the inputs. Error: those of "
        "Multinomial; `seed` does not have shape [2].")
    .HostMemory({"num_samples", "seed"})
    .Shape(MultinomialShape)
    .NotDifferentiable()
    .CpuKernelClass<StatelessMultinomialKernel>();

}  // namespace ramet
