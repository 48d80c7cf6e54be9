#include <cmath>

#include "ramet/op/op.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/range.h"

// Batch normalization of quantized images.

namespace ramet {
namespace {

// The range of results, for numbers with 10 fractional bits.
constexpr QuantizedRange kNormRange = {-(1 << 20), 1 << 20};
constexpr int kImage = 0, kMean = 3, kVariance = 6, kBeta = 9, kGamma = 12;

struct NormRanges {
  QuantizedRange image, mean, variance, beta, gamma;

  static StatusOr<NormRanges> Read(const KernelContext& c) {
    NormRanges r;
    const auto read = [&](int i, const char* low, const char* high, QuantizedRange* to) -> Status {
      RAMET_ASSIGN_OR_RETURN(*to, ReadRange(c, i + 1, low, high, BoundError::kElement));
      return OkStatus();
    };
    RAMET_RETURN_IF_ERROR(read(kImage, "input_min", "input_max", &r.image));
    RAMET_RETURN_IF_ERROR(read(kMean, "mean_min", "mean_max", &r.mean));
    RAMET_RETURN_IF_ERROR(read(kVariance, "var_min", "var_max", &r.variance));
    RAMET_RETURN_IF_ERROR(read(kBeta, "beta_min", "beta_max", &r.beta));
    RAMET_RETURN_IF_ERROR(read(kGamma, "gamma_min", "gamma_max", &r.gamma));
    return r;
  }
};

Status CheckNormShapes(const KernelContext& c) {
  const auto shape = [&](int i) -> const Shape& { return c.input(i).shape(); };
  if (shape(kImage).rank() != 4) {
    return InvalidArgument("input must be 4-dimensional", shape(kImage));
  }
  const std::pair<int, const char*> vectors[] = {
      {kMean, "mean"}, {kVariance, "var"}, {kBeta, "beta"}, {kGamma, "gamma"}};
  for (const auto& [i, name] : vectors) {
    if (shape(i).rank() != 1) return InvalidArgument(name, " must be 1-dimensional", shape(i));
  }
  if (shape(kMean).dim(0) <= 1) {
    return InvalidArgument("Must have at least a mean value", shape(kGamma));
  }
  const std::pair<int, const char*> others[] = {
      {kVariance, "variance"}, {kBeta, "beta"}, {kGamma, "gamma"}};
  for (const auto& [i, name] : others) {
    if (shape(i) == shape(kMean)) continue;
    return InvalidArgument("Mean and ", name, " tensors must have the same shape: ", shape(kMean),
                           " vs. ", shape(i));
  }
  if (shape(kImage).dim(3) == shape(kMean).dim(0)) return OkStatus();
  return InvalidArgument("the last dimension of the input is ", shape(kImage).dim(3),
                         ", but there are ", shape(kMean).dim(0), " means");
}

class QuantizedBatchNorm final : public Kernel {
 public:
  explicit QuantizedBatchNorm(const AttrMap& attrs)
      : epsilon_(attrs.GetOr("variance_epsilon", 0.0F)),
        scale_(attrs.GetOr("scale_after_normalization", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType types[] = {DType::kQUInt8};
    RAMET_RETURN_IF_ERROR(TypedKernel::For(node, types, DType::kQInt32, nullptr).status());
    return std::unique_ptr<Kernel>(std::make_unique<QuantizedBatchNorm>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const NormRanges ranges, NormRanges::Read(c));
    RAMET_RETURN_IF_ERROR(CheckNormShapes(c));
    const Tensor& x = c.input(kImage);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kQInt32, x.shape()));
    const int64_t depth = x.dim(3);
    const auto* in = static_cast<const uint8_t*>(x.raw_data());
    auto* out = static_cast<int32_t*>(y->raw_data());
    const auto one = StepOf<int32_t>(1, kNormRange);
    for (int64_t d = 0; d < depth; ++d) {
      const auto [scale, offset] = Factors(c, ranges, d);
      for (int64_t i = d; i < x.num_elements(); i += depth) {
        const auto step = RequantizedStep<uint8_t, int32_t>(in[i], ranges.image, kNormRange);
        out[i] = WrappingAdd(WrappingMul(step, scale) / one, offset);
      }
    }
    return WriteRange(c, 1, kNormRange);
  }

 private:
  // Returns the factor and the summand of a channel.
  std::pair<int32_t, int32_t> Factors(const KernelContext& c, const NormRanges& ranges,
                                      int64_t channel) const {
    const auto at = [&](int i, QuantizedRange range) {
      return FloatOf(static_cast<const uint8_t*>(c.input(i).raw_data())[channel], range);
    };
    const float variance = at(kVariance, ranges.variance), mean = at(kMean, ranges.mean);
    float scale = 1.0F / std::sqrt(variance + epsilon_);
    if (scale_) scale *= at(kGamma, ranges.gamma);
    const float offset = -mean * scale + at(kBeta, ranges.beta);
    return {StepOf<int32_t>(scale, kNormRange), StepOf<int32_t>(offset, kNormRange)};
  }

  const float epsilon_;
  const bool scale_;
};

// The depth of the result is that of the image or of any of the vectors.
Status QuantizedBatchNormShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape image, c.WithRank(kImage, 4));
  Shape depth{image.dim(3)};
  for (const int i : {kMean, kVariance, kBeta, kGamma}) {
    RAMET_ASSIGN_OR_RETURN(const Shape vector, c.WithRank(i, 1));
    RAMET_ASSIGN_OR_RETURN(depth, depth.MergeWith(vector));
  }
  image.set_dim(3, depth.dim(0));
  return SetQuantizedShape(c, std::move(image));
}

RAMET_OP("QuantizedBatchNormWithGlobalNormalization")
    .Input("t: Tinput")
    .Input("t_min: float")
    .Input("t_max: float")
    .Input("m: Tinput")
    .Input("m_min: float")
    .Input("m_max: float")
    .Input("v: Tinput")
    .Input("v_min: float")
    .Input("v_max: float")
    .Input("beta: Tinput")
    .Input("beta_min: float")
    .Input("beta_max: float")
    .Input("gamma: Tinput")
    .Input("gamma_min: float")
    .Input("gamma_max: float")
    .Output("result: out_type")
    .Output("result_min: float")
    .Output("result_max: float")
    .Attr("Tinput: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("out_type: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("variance_epsilon: float")
    .Attr("scale_after_normalization: bool")
    .Doc(
        "Returns (t - m) / sqrt(v + variance_epsilon), times gamma with scale_after_normalization, "
        "plus beta, for images t [batch, rows, columns, depth] and a mean m, variance v, beta and "
        "gamma per channel. All are quantized numbers in the given ranges. The result has 32 bits "
        "and the range [-2^20, 2^20]. Error: t does not have four dimensions; the others are not "
        "vectors of the same size, that of a channel and at least 2; a bound has more than one "
        "element; the types are not quint8 and qint32 (kUnimplemented).")
    .Shape(QuantizedBatchNormShape)
    .CpuKernelClass<QuantizedBatchNorm>();

}  // namespace
}  // namespace ramet
