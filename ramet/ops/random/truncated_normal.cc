#include "ramet/linalg/random_truncated.h"

#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/random/draws.h"
#include "ramet/ops/random/random_state.h"
#include "ramet/ops/random/stateless_seed.h"
#include "ramet/ops/random/truncated_normal_grad.h"

// Random numbers of normal distributions that are truncated to intervals.

namespace ramet {
namespace {

using linalg::TruncatedLayout;
using linalg::TruncatedNormals;
using linalg::Truncation;

constexpr int kNormalParameters = 4;
constexpr const char* kParameterNames[kNormalParameters] = {"means", "stddevs", "minvals",
                                                            "maxvals"};

Status CheckIsVector(const Tensor& shape) {
  if (shape.rank() == 1) return OkStatus();
  return InvalidArgument("Input shape should be a vector, got shape: ", shape.shape());
}

Status InvalidParameters() {
  return InvalidArgument(
      "Invalid parameters\nEach standard deviation must be positive, minvals less than maxvals, "
      "and one of the bounds finite.");
}

Status DrawTruncated(const linalg::Philox& generator, const TruncatedNormals& normals,
                     const TruncatedLayout& layout, Tensor& y) {
  std::string_view sampler;
  switch (linalg::FillTruncatedNormals(LinalgType(y.dtype()), generator, normals, layout,
                                       y.raw_data())) {
    case Truncation::kDone: return OkStatus();
    case Truncation::kInvalid: return InvalidParameters();
    case Truncation::kNormalFailed: sampler = "randn"; break;
    case Truncation::kUniformFailed: sampler = "uniform"; break;
    case Truncation::kExponentialFailed: sampler = "exponential distribution"; break;
  }
  return Internal("TruncatedNormal ", sampler, " rejection sampler failed to accept a sample.");
}

// Draws samples of one distribution or of one per row of the output.
class RowsTruncatedNormal final : public Kernel {
 public:
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<RowsTruncatedNormal>(*node.attrs);
  }
  explicit RowsTruncatedNormal(const AttrMap& attrs) : random_(attrs) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Shape shape, OutputShape(c));
    for (int i = 0; i < kNormalParameters; ++i) {
      if (c.input(1 + i).rank() <= 1) continue;
      return InvalidArgument("Input ", kParameterNames[i],
                             " should be a scalar or vector, got shape: ", c.input(1 + i).shape());
    }
    const int64_t total = shape.num_elements();
    RAMET_ASSIGN_OR_RETURN(const TruncatedLayout layout, LayoutOf(c, shape.dim(0), total));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, c.input(1).dtype(), shape));
    const auto at = [&](int i) -> TruncatedNormals::Parameter {
      return {c.input(i).raw_data(), c.input(i).num_elements() == 1 ? 0 : 1};
    };
    const TruncatedNormals normals{at(1), at(2), at(3), at(4)};
    if (total == 0) {
      // The distributions of rows without elements are checked.
      const int64_t rows = layout.samples == 0 ? shape.dim(0) : 0;
      return linalg::AreValid(LinalgType(y->dtype()), normals, rows) ? OkStatus()
                                                                     : InvalidParameters();
    }
    const int64_t distributions = (total + layout.samples - 1) / layout.samples;
    return DrawTruncated(Reserve(distributions, layout.samples), normals, layout, *y);
  }

 private:
  // The samples of a batch if there is only one distribution.
  static constexpr int64_t kBatchSamples = 100;

  static StatusOr<Shape> OutputShape(const KernelContext& c) {
    RAMET_RETURN_IF_ERROR(CheckIsVector(c.input(0)));
    if (c.input(0).num_elements() == 0) {
      return InvalidArgument("Shape tensor must not be empty, got Tensor<type: ",
                             DTypeName(c.input(0).dtype()), " shape: [0] values: >");
    }
    return ShapeArg(c.input(0), "shape");
  }

  static StatusOr<TruncatedLayout> LayoutOf(const KernelContext& c, int64_t rows, int64_t total) {
    bool shared = true;
    for (int i = 0; i < kNormalParameters; ++i) {
      const int64_t size = c.input(1 + i).num_elements();
      if (size == 1) continue;
      shared = false;
      if (size == rows) continue;
      return InvalidArgument(
          "Input ", kParameterNames[i],
          " should have length 1 or shape[0], got shape: ", c.input(1 + i).shape());
    }
    const int64_t samples = shared ? kBatchSamples : total / std::max<int64_t>(rows, 1);
    return TruncatedLayout{samples, total, samples, 1};
  }

  // Returns the generator and advances it as TensorFlow does.
  linalg::Philox Reserve(int64_t distributions, int64_t samples) {
    const uint64_t draws = static_cast<uint64_t>(distributions) * 2 * linalg::kMaxRejectedNumbers *
                           (static_cast<uint64_t>(samples) + 3) / 4;
    linalg::Philox taken;
    random_.Move([&](linalg::Philox& generator) {
      taken = generator;
      generator.Skip(draws);
    });
    return taken;
  }

  RandomState random_;
};

// The dtypes of its registrations, which are fewer than those of the op.
template <class>
using RowsTruncatedNormalOf = RowsTruncatedNormal;

StatusOr<Shape> ParametersShape(const KernelContext& c) {
  StatusOr<Shape> shape = c.input(2).shape();
  for (int i = 1; i < kNormalParameters && shape.ok(); ++i) {
    shape = BroadcastShapes(*shape, c.input(2 + i).shape());
  }
  if (shape.ok()) return shape;
  return InvalidArgument("means, stddevs, minvals, maxvals must have compatible batch dimensions: ",
                         c.input(2).shape(), " vs. ", c.input(3).shape(), " vs. ",
                         c.input(4).shape(), " vs. ", c.input(5).shape());
}

Status StatelessTruncatedNormals(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckIsVector(c.input(0)));
  RAMET_ASSIGN_OR_RETURN(const Shape batch, ParametersShape(c));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, SampledShape(c, 0, batch));
  RAMET_ASSIGN_OR_RETURN(const linalg::Philox generator, GeneratorFromSeed(c.input(1)));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, c.input(2).dtype(), shape));
  const int64_t total = y->num_elements();
  if (total == 0) return OkStatus();
  Tensor parameters[kNormalParameters];
  for (int i = 0; i < kNormalParameters; ++i) {
    RAMET_ASSIGN_OR_RETURN(parameters[i], BroadcastParameter(c, c.input(2 + i), batch));
  }
  const auto at = [&](int i) -> TruncatedNormals::Parameter {
    return {parameters[i].raw_data(), 1};
  };
  const int64_t size = batch.num_elements();
  return DrawTruncated(generator, {at(0), at(1), at(2), at(3)}, {total / size, total, 1, size}, *y);
}

Status RowsTruncatedNormalShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  for (int i = 1; i <= kNormalParameters; ++i) {
    if (c.input(i).rank() <= 1) continue;
    return InvalidArgument("Shape must be at most rank 1 but is rank ", c.input(i).rank());
  }
  return ShapeFromInput<0>(c);
}

Status StatelessTruncatedNormalsShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckSeedShape(c));
  return ShapeFromInput<0>(c);
}

#define RAMET_TRUNCATED_DOC                                                                    \
  "Draws numbers from normal distributions with the means `means` and the standard "           \
  "deviations `stddevs`, whose values outside of [minvals, maxvals] are drawn again. At most " \
  "one of the bounds is infinite. The numbers are the same as those of TensorFlow with one "   \
  "intra-op thread. Error: `shape` is not a vector or has a negative element; a standard "     \
  "deviation is not positive; an interval is empty or infinite; 1000 numbers in a row were "   \
  "rejected (kInternal); "

RAMET_OP("ParameterizedTruncatedNormal")
    .Input("shape: T")
    .Input("means: dtype")
    .Input("stdevs: dtype")
    .Input("minvals: dtype")
    .Input("maxvals: dtype")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Doc(RAMET_TRUNCATED_DOC
         "a parameter is not a scalar or a vector with an element for each row of the output. "
         "Seeds and successive runs behave as in RandomUniform.")
    .Stateful()
    .HostMemory({"shape"})
    .Shape(RowsTruncatedNormalShape)
    .NotDifferentiable()
    .CpuKernelClasses<RowsTruncatedNormalOf, Half, float, double>("dtype");

RAMET_OP("StatelessParameterizedTruncatedNormal")
    .Input("shape: S")
    .Input("seed: Tseed")
    .Input("means: dtype")
    .Input("stddevs: dtype")
    .Input("minvals: dtype")
    .Input("maxvals: dtype")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("dtype: {half, float, double}")
    .Doc(RAMET_TRUNCATED_DOC
         "the parameters do not broadcast; `shape` does not end with the shape to which they "
         "broadcast; `seed` does not have two elements. The numbers depend only on the inputs.")
    .HostMemory({"shape", "seed"})
    .Shape(StatelessTruncatedNormalsShape)
    .Gradient(TruncatedNormalGradient)
    .CpuKernel(StatelessTruncatedNormals);

}  // namespace
}  // namespace ramet
