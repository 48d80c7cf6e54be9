#include "ramet/linalg/batch_norm.h"

#include <algorithm>
#include <limits>

#include "ramet/base/mutex.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/batch_norm_second_gradient.h"
#include "ramet/ops/nn/window.h"

// FusedBatchNorm in its three versions, and the gradients.

namespace ramet {
namespace {

// The attrs of these ops.
struct NormAttrs {
  explicit NormAttrs(const AttrMap& attrs)
      : format(attrs.GetOr<std::string>("data_format", "NHWC")),
        epsilon(attrs.GetOr("epsilon", 1e-4f)),
        exponential_avg_factor(attrs.GetOr("exponential_avg_factor", 1.0f)),
        training(attrs.GetOr("is_training", true)) {}

  int rank() const { return static_cast<int>(format.size()); }
  int channel_axis(const Shape& x) const { return IsChannelsFirst(format) ? 1 : x.rank() - 1; }
  bool RankFits(int found) const { return found == rank() || (rank() == 5 && found == 4); }

  std::string format;
  float epsilon, exponential_avg_factor;
  bool training;
};

StatusOr<linalg::NormGeometry> GeometryOf(const NormAttrs& attrs, const Shape& x) {
  if (!attrs.RankFits(x.rank())) {
    return InvalidArgument("input must be ", attrs.rank(), "-dimensional", x);
  }
  const int axis = attrs.channel_axis(x);
  return linalg::NormGeometry{Product(x, 0, axis), x.dim(axis), Product(x, axis + 1, x.rank())};
}

Status CheckVector(const Tensor& t, std::string_view name) {
  if (t.rank() == 1) return OkStatus();
  return InvalidArgument(name, " must be 1-dimensional", t.shape());
}

Status CheckChannels(const Tensor& t, int64_t channels, std::string_view name,
                     std::string_view when = "") {
  RAMET_RETURN_IF_ERROR(CheckVector(t, name));
  if (t.dim(0) == channels) return OkStatus();
  return InvalidArgument(when, name,
                         " must have the same number of elements as the channels of x, got ",
                         t.dim(0), " and ", channels);
}

// Checks that scale, mean and the other vectors are float.
// \error kUnimplemented: they are not.
Status CheckNumbers(const AttrMap& attrs) {
  const DType u = attrs.GetOr("U", DType::kFloat);
  if (u == DType::kFloat) return OkStatus();
  return Unimplemented("batch normalization with scale and mean of dtype ", DTypeName(u),
                       " is not supported; use float");
}

class BatchNormKernel final : public Kernel {
 public:
  explicit BatchNormKernel(const AttrMap& attrs) : attrs_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_RETURN_IF_ERROR(CheckNumbers(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<BatchNormKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(linalg::NormGeometry g, GeometryOf(attrs_, x.shape()));
    RAMET_RETURN_IF_ERROR(CheckInputs(c, g.channels));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    Tensor* vectors[4];
    for (int i = 0; i < 4; ++i) {
      RAMET_ASSIGN_OR_RETURN(vectors[i], c.Allocate(i + 1, DType::kFloat, Shape{g.channels}));
    }
    if (c.num_outputs() == 6) {
      RAMET_ASSIGN_OR_RETURN(Tensor * unused,
                             c.Allocate(5, DType::kFloat, x.rank() == 5 ? Shape() : Shape{0}));
      RAMET_RETURN_IF_ERROR(FillZeros(*unused));
    }
    auto [mean, variance, saved_mean, saved_variance] = vectors;
    if (g.elements() == 0) return Nothing(vectors);
    if (attrs_.training) {
      RAMET_RETURN_IF_ERROR(BatchMoments(g, x, *saved_mean, *saved_variance));
      RAMET_RETURN_IF_ERROR(Running(c, g, *saved_mean, *saved_variance, *mean, *variance));
    } else {
      for (Tensor* to : {mean, saved_mean}) RAMET_RETURN_IF_ERROR(CopyAll(c.input(3), *to));
      for (Tensor* to : {variance, saved_variance}) {
        RAMET_RETURN_IF_ERROR(CopyAll(c.input(4), *to));
      }
    }
    return BatchNormalize(g, {c.input(1), *saved_mean, *saved_variance, attrs_.epsilon}, x,
                          c.input(2), *y);
  }

 private:
  static const float* Input(KernelContext& c, int i) { return c.input(i).data<float>(); }

  Status CheckInputs(KernelContext& c, int64_t channels) const {
    RAMET_RETURN_IF_ERROR(CheckChannels(c.input(1), channels, "scale"));
    RAMET_RETURN_IF_ERROR(CheckChannels(c.input(2), channels, "offset"));
    for (int i : {3, 4}) {
      const std::string_view name = i == 3 ? "mean" : "variance";
      RAMET_RETURN_IF_ERROR(CheckVector(c.input(i), name));
      if (!attrs_.training) {
        RAMET_RETURN_IF_ERROR(
            CheckChannels(c.input(i), channels, name, "When is_training=false, "));
      } else if (attrs_.exponential_avg_factor != 1.0f) {
        RAMET_RETURN_IF_ERROR(
            CheckChannels(c.input(i), channels, name, "When exponential_avg_factor != 1, "));
      }
    }
    return OkStatus();
  }

  // Fills the outputs for an input without elements: the mean is undefined.
  Status Nothing(Tensor* const* vectors) const {
    const Tensor none(std::numeric_limits<float>::quiet_NaN());
    for (int i = 0; i < 4; ++i) {
      RAMET_RETURN_IF_ERROR(i < 2 ? FillWith(none, *vectors[i]) : FillZeros(*vectors[i]));
    }
    return OkStatus();
  }

  // Computes the mean and the unbiased variance, averaged with those of the inputs.
  Status Running(KernelContext& c, const linalg::NormGeometry& g, const Tensor& batch_mean,
                 const Tensor& batch_variance, Tensor& mean, Tensor& variance) const {
    const float factor = attrs_.exponential_avg_factor;
    if (const DeviceMath* math = DeviceMath::Of(mean)) {
      const Tensor* old[2] = {&c.input(3), &c.input(4)};
      const Tensor* batch[2] = {&batch_mean, &batch_variance};
      Tensor* running[2] = {&mean, &variance};
      return math->RunningMoments(g, factor, old, batch, running);
    }
    const float unbiased =
        static_cast<float>(g.count()) / static_cast<float>(std::max<int64_t>(1, g.count() - 1));
    auto means = mean.mutable_flat<float>(), variances = variance.mutable_flat<float>();
    for (int64_t i = 0; i < g.channels; ++i) {
      means[i] = batch_mean.data<float>()[i];
      variances[i] = batch_variance.data<float>()[i] * unbiased;
      if (factor == 1.0f) continue;
      means[i] = (1.0f - factor) * Input(c, 3)[i] + factor * means[i];
      variances[i] = (1.0f - factor) * Input(c, 4)[i] + factor * variances[i];
    }
    return OkStatus();
  }

  const NormAttrs attrs_;
};

class BatchNormGradKernel final : public Kernel {
 public:
  explicit BatchNormGradKernel(const AttrMap& attrs) : attrs_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_RETURN_IF_ERROR(CheckNumbers(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<BatchNormGradKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& dy = c.input(0);
    const Tensor& x = c.input(1);
    RAMET_ASSIGN_OR_RETURN(linalg::NormGeometry g, GeometryOf(attrs_, x.shape()));
    if (dy.shape() != x.shape()) {
      return InvalidArgument("x and y_backprop must have same shape, but x has shape ", x.shape(),
                             " and y_backprop has shape ", dy.shape());
    }
    constexpr const char* kNames[] = {"scale", "reserve_space_1", "reserve_space_2"};
    for (int i = 0; i < 3; ++i) {
      RAMET_RETURN_IF_ERROR(CheckChannels(c.input(i + 2), g.channels, kNames[i]));
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * dscale, c.Allocate(1, DType::kFloat, Shape{g.channels}));
    RAMET_ASSIGN_OR_RETURN(Tensor * doffset, c.Allocate(2, DType::kFloat, Shape{g.channels}));
    RAMET_ASSIGN_OR_RETURN(const Tensor zero, Zero(c));
    for (int i : {3, 4}) c.SetOutput(i, zero);
    if (g.elements() == 0) {
      RAMET_RETURN_IF_ERROR(FillZeros(*dscale));
      RAMET_RETURN_IF_ERROR(FillZeros(*doffset));
      return OkStatus();
    }
    return BatchNormGrad(g, {c.input(2), c.input(3), c.input(4), attrs_.epsilon}, attrs_.training,
                         x, dy, *dx, *dscale, *doffset);
  }

 private:
  // Returns the value of the outputs that nothing needs. It is kept, because setting it takes a
  // launch on a device.
  StatusOr<Tensor> Zero(KernelContext& c) {
    MutexLock lock(mutex_);
    if (zero_.empty()) {
      RAMET_ASSIGN_OR_RETURN(Tensor zero, c.AllocateTemp(DType::kFloat, Shape()));
      RAMET_RETURN_IF_ERROR(FillZeros(zero));
      zero_ = std::move(zero);
    }
    return zero_;
  }

  const NormAttrs attrs_;
  Mutex mutex_;
  Tensor zero_ RAMET_GUARDED_BY(mutex_);
};

template <class T>
using BatchNormKernelOf = BatchNormKernel;
template <class T>
using BatchNormGradKernelOf = BatchNormGradKernel;

// Merges `channels` with the shape of input i, a vector with one element per channel.
Status MergeChannels(ShapeContext& c, int i, Shape* channels) {
  RAMET_ASSIGN_OR_RETURN(Shape vector, c.WithRank(i, 1));
  auto merged = channels->MergeWith(vector);
  if (!merged.ok()) {
    return InvalidArgument("Dimensions must be equal, but are ", channels->dim(0), " and ",
                           vector.dim(0));
  }
  *channels = *std::move(merged);
  return OkStatus();
}

// Infers the shape of image input i, whose channels are merged with those of the vectors `first` to
// `last`, and the shape of a vector of channels.
Status InferChannels(ShapeContext& c, int i, int first, int last, Shape* x, Shape* channels) {
  const NormAttrs attrs(c.attrs());
  *x = c.input(i);
  if (x->unknown_rank()) {
    *x = attrs.rank() == 4 ? Shape::OfRank(4) : Shape::Unknown();
  } else if (!attrs.RankFits(x->rank())) {
    return InvalidArgument("Shape must be rank ", attrs.rank(), " but is rank ", x->rank());
  }
  *channels = Shape::OfRank(1);
  if (!x->unknown_rank()) channels->set_dim(0, x->dim(attrs.channel_axis(*x)));
  for (int k = first; k <= last; ++k) RAMET_RETURN_IF_ERROR(MergeChannels(c, k, channels));
  if (!x->unknown_rank()) x->set_dim(attrs.channel_axis(*x), channels->dim(0));
  return OkStatus();
}

Status BatchNormShape(ShapeContext& c) {
  Shape x, channels;
  // In training, mean and variance may be empty if there is no running average.
  const NormAttrs attrs(c.attrs());
  const int last = attrs.training && attrs.exponential_avg_factor == 1 ? 2 : 4;
  RAMET_RETURN_IF_ERROR(InferChannels(c, 0, 1, last, &x, &channels));
  c.set_output(0, x);
  for (int i = 1; i < 5; ++i) c.set_output(i, channels);
  return OkStatus();
}

Status BatchNormGradShape(ShapeContext& c) {
  Shape x, channels;
  RAMET_RETURN_IF_ERROR(InferChannels(c, 0, 2, 2, &x, &channels));
  c.set_output(0, x);
  c.set_output(1, channels);
  c.set_output(2, channels);
  return OkStatus();
}

// Returns the order of dimensions that moves the channels to the end, or back.
std::vector<int64_t> Order(int rank, bool to_end) {
  std::vector<int64_t> order = {0};
  if (!to_end) order.push_back(rank - 1);
  for (int d = to_end ? 2 : 1; d < (to_end ? rank : rank - 1); ++d) order.push_back(d);
  if (to_end) order.push_back(1);
  return order;
}

Output Transposed(GradientContext& c, const Output& x, int rank, bool to_end) {
  return c.Add("Transpose", {x, Int32Vector(c, Order(rank, to_end), "transpose/perm")}, {},
               "transpose");
}

template <int kVersion>
Status BatchNormGradient(GradientContext& c) {
  static constexpr const char* kGrad[] = {"FusedBatchNormGrad", "FusedBatchNormGradV2",
                                          "FusedBatchNormGradV3"};
  RAMET_ASSIGN_OR_RETURN(std::string format, c.attr<std::string>("data_format"));
  RAMET_ASSIGN_OR_RETURN(float epsilon, c.attr<float>("epsilon"));
  RAMET_ASSIGN_OR_RETURN(bool training, c.attr<bool>("is_training"));
  Output dy = c.grad(), x = c.input(0);
  const int rank = static_cast<int>(format.size());
  const bool swap = !training && IsChannelsFirst(format);
  if (swap) {
    x = Transposed(c, x, rank, true);
    dy = Transposed(c, dy, rank, true);
    format = rank == 5 ? "NDHWC" : "NHWC";
  }
  std::vector<Input> inputs = {dy, x, c.input(1), training ? c.output(3) : c.input(3),
                               training ? c.output(4) : c.input(4)};
  if (kVersion == 3) inputs.push_back(c.output(5));
  Operation grad =
      c.AddOperation(kGrad[kVersion - 1], inputs,
                     {{"epsilon", epsilon}, {"data_format", format}, {"is_training", training}});
  Output dx = grad.output(0);
  if (swap) dx = Transposed(c, dx, rank, false);
  return c.Return({dx, grad.output(1), grad.output(2), Gradient(), Gradient()});
}

constexpr char kNormDoc[] =
    "Normalizes each channel of x (the last dimension, or the second one with data_format NCHW or "
    "NCDHW): y = (x - mean) * scale / sqrt(variance + epsilon) + offset. With is_training, mean "
    "and variance are those of x, and batch_mean and batch_variance (unbiased) are running "
    "averages: (1 - f) times the inputs mean and variance plus f times those of x, where f is "
    "exponential_avg_factor. Otherwise the inputs mean and variance are used, and returned as "
    "batch_mean and batch_variance. The reserve spaces are for the gradient. Error: x has the "
    "wrong rank; scale, offset, mean or variance is not a vector with one element per channel; U "
    "is not float (kUnimplemented).";
constexpr char kGradDoc[] =
    "Returns the gradients for x, scale and offset of a batch normalization with the same attrs, "
    "given the gradient y_backprop of y. reserve_space_1 and reserve_space_2 are the mean and the "
    "variance. Error: x has the wrong rank; the shapes of x and y_backprop differ; a vector does "
    "not have one element per channel; U is not float (kUnimplemented).";

#define RAMET_NORM_ATTRS(formats)                  \
  Attr("epsilon: float = 0.0001")                  \
      .Attr("exponential_avg_factor: float = 1.0") \
      .Attr("data_format: {" formats "} = 'NHWC'") \
      .Attr("is_training: bool = true")            \
      .Doc(kNormDoc)                               \
      .Shape(BatchNormShape)
#define RAMET_NORM_GRAD_ATTRS(formats)             \
  Attr("epsilon: float = 0.0001")                  \
      .Attr("data_format: {" formats "} = 'NHWC'") \
      .Attr("is_training: bool = true")            \
      .Doc(kGradDoc)                               \
      .Shape(BatchNormGradShape)                   \
      .Gradient(BatchNormSecondGradient)
#define RAMET_NORM_ARGS(u)           \
  Input("x: T")                      \
      .Input("scale: " u)            \
      .Input("offset: " u)           \
      .Input("mean: " u)             \
      .Input("variance: " u)         \
      .Output("y: T")                \
      .Output("batch_mean: " u)      \
      .Output("batch_variance: " u)  \
      .Output("reserve_space_1: " u) \
      .Output("reserve_space_2: " u)
#define RAMET_NORM_GRAD_ARGS(scale, u) \
  Input("y_backprop: T")               \
      .Input("x: T")                   \
      .Input("scale: " scale)          \
      .Input("reserve_space_1: " u)    \
      .Input("reserve_space_2: " u)
#define RAMET_FORMATS "'NHWC', 'NCHW'"
#define RAMET_FORMATS_3D "'NHWC', 'NCHW', 'NDHWC', 'NCDHW'"

RAMET_OP("FusedBatchNorm")
    .RAMET_NORM_ARGS("T")
    .Attr("T: {float}")
    .RAMET_NORM_ATTRS(RAMET_FORMATS)
    .Gradient(BatchNormGradient<1>)
    .CpuKernelClasses<BatchNormKernelOf, float>();

RAMET_OP("FusedBatchNormV2")
    .RAMET_NORM_ARGS("U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .RAMET_NORM_ATTRS(RAMET_FORMATS)
    .Gradient(BatchNormGradient<2>)
    .CpuKernelClasses<BatchNormKernelOf, Half, BFloat16, float>();

RAMET_OP("FusedBatchNormV3")
    .RAMET_NORM_ARGS("U")
    .Output("reserve_space_3: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {bfloat16, float}")
    .RAMET_NORM_ATTRS(RAMET_FORMATS_3D)
    .Gradient(BatchNormGradient<3>)
    .CpuKernelClasses<BatchNormKernelOf, Half, BFloat16, float>();

RAMET_OP("FusedBatchNormGrad")
    .RAMET_NORM_GRAD_ARGS("T", "T")
    .Output("x_backprop: T")
    .Output("scale_backprop: T")
    .Output("offset_backprop: T")
    .Output("reserve_space_3: T")
    .Output("reserve_space_4: T")
    .Attr("T: {float}")
    .RAMET_NORM_GRAD_ATTRS(RAMET_FORMATS)
    .CpuKernelClasses<BatchNormGradKernelOf, float>();

RAMET_OP("FusedBatchNormGradV2")
    .RAMET_NORM_GRAD_ARGS("float", "U")
    .Output("x_backprop: T")
    .Output("scale_backprop: U")
    .Output("offset_backprop: U")
    .Output("reserve_space_3: U")
    .Output("reserve_space_4: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .RAMET_NORM_GRAD_ATTRS(RAMET_FORMATS)
    .CpuKernelClasses<BatchNormGradKernelOf, Half, BFloat16, float>();

RAMET_OP("FusedBatchNormGradV3")
    .RAMET_NORM_GRAD_ARGS("float", "U")
    .Input("reserve_space_3: U")
    .Output("x_backprop: T")
    .Output("scale_backprop: U")
    .Output("offset_backprop: U")
    .Output("reserve_space_4: U")
    .Output("reserve_space_5: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .RAMET_NORM_GRAD_ATTRS(RAMET_FORMATS_3D)
    .CpuKernelClasses<BatchNormGradKernelOf, Half, BFloat16, float>();

}  // namespace
}  // namespace ramet
