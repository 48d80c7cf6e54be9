#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/pool_kernel.h"

// Pooling of images and volumes, and its gradients.

namespace ramet {
namespace {

StatusOr<Shape> InferPooled(const WindowAttrs& w, const Shape& image) {
  Shape pooled = Shape::OfRank(w.rank());
  pooled.set_dim(w.batch_axis(), image.dim(w.batch_axis()));
  const int64_t channels = image.dim(w.channel_axis());
  if (!PoolsChannels(w)) {
    pooled.set_dim(w.channel_axis(), channels);
  } else if (channels >= 0 && w.channel_size == w.channel_stride &&
             channels % w.channel_size == 0) {
    pooled.set_dim(w.channel_axis(), channels / w.channel_size);
  }
  for (int d = 0; d < w.spatial; ++d) {
    RAMET_ASSIGN_OR_RETURN(int64_t size,
                           InferPositions(w, d, image.dim(w.spatial_axis(d)), w.size[d]));
    pooled.set_dim(w.spatial_axis(d), size);
  }
  return pooled;
}

template <int kSpatial>
Status PoolShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(WindowAttrs w, ParseWindow(c.attrs(), kSpatial, "Pooling"));
  RAMET_ASSIGN_OR_RETURN(Shape image, c.WithRank(0, w.rank()));
  RAMET_ASSIGN_OR_RETURN(Shape pooled, InferPooled(w, image));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, pooled);
  return OkStatus();
}

// Reads the window of an op that takes ksize and strides as inputs i and i + 1. Returns false if
// they are not known.
StatusOr<bool> KnownWindow(ShapeContext& c, int i, WindowAttrs* w) {
  RAMET_ASSIGN_OR_RETURN(*w, ParseWindow(c.attrs(), 2, "Pooling"));
  const Tensor* ksize = c.constant(i);
  const Tensor* strides = c.constant(i + 1);
  if (ksize == nullptr || strides == nullptr) return false;
  RAMET_ASSIGN_OR_RETURN(Dims sizes, VectorArg(*ksize, "ksize"));
  RAMET_ASSIGN_OR_RETURN(Dims steps, VectorArg(*strides, "strides"));
  RAMET_RETURN_IF_ERROR(SetWindow(sizes, steps, w));
  return true;
}

Status PoolV2Shape(ShapeContext& c) {
  WindowAttrs w;
  RAMET_ASSIGN_OR_RETURN(bool known, KnownWindow(c, 1, &w));
  RAMET_ASSIGN_OR_RETURN(Shape image, c.WithRank(0, 4));
  if (!known) {
    c.set_output(0, Shape::OfRank(4));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Shape pooled, InferPooled(w, image));
  c.set_output(0, std::move(pooled));
  return OkStatus();
}

template <int kSpatial>
Status LikeInputShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape input, c.WithRank(0, kSpatial + 2));
  c.set_output(0, std::move(input));
  return OkStatus();
}

Status LikeOutputShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape output, c.WithRank(1, 4));
  c.set_output(0, std::move(output));
  return OkStatus();
}

template <int kSpatial>
Status AvgGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape sizes, c.constant_as_shape(0));
  if (!sizes.unknown_rank() && sizes.rank() != kSpatial + 2) {
    return InvalidArgument("Shape must be rank ", kSpatial + 2, " but is rank ", sizes.rank());
  }
  c.set_output(0, sizes.unknown_rank() ? Shape::OfRank(kSpatial + 2) : std::move(sizes));
  return OkStatus();
}

AttrMap AttrsOf(GradientContext& c, std::initializer_list<const char*> more = {}) {
  AttrMap attrs;
  const auto own = c.op().attrs();
  const auto copy = [&](const char* name) {
    if (const Attr* value = own->Find(name)) attrs.Set(name, *value);
  };
  for (const char* name : {"ksize", "strides", "padding", "data_format"}) copy(name);
  for (const char* name : more) copy(name);
  return attrs;
}

// Returns `inputs` followed by the inputs from `i` on of the op: ksize and strides of the V2 ops.
std::vector<Input> With(GradientContext& c, std::vector<Input> inputs, int i) {
  for (; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  return inputs;
}

template <const char* kGrad>
Status MaxPoolGradient(GradientContext& c) {
  Output dx = c.Add(kGrad, With(c, {c.input(0), c.output(), c.grad()}, 1),
                    AttrsOf(c, {"explicit_paddings"}));
  std::vector<Gradient> gradients(c.num_inputs());
  gradients[0] = dx;
  return c.Return(std::move(gradients));
}

// The gradient of op(orig_input, orig_output, grad), which is linear in grad.
template <const char* kOfGrad>
Status MaxPoolGradGradient(GradientContext& c) {
  std::vector<Gradient> gradients(c.num_inputs());
  Output grad = c.grad();
  gradients[0] = ZerosLike(c, c.input(0));
  gradients[1] = ZerosLike(c, c.input(1));
  gradients[2] = c.Add(kOfGrad, With(c, {c.input(0), c.input(1), grad}, 3), AttrsOf(c));
  return c.Return(std::move(gradients));
}

Status MaxPoolWithArgmaxGradient(GradientContext& c) {
  return c.Return({c.Add("MaxPoolGradWithArgmax", {c.input(0), c.grad(), c.output(1)},
                         AttrsOf(c, {"include_batch_in_index"}))});
}

template <const char* kGrad>
Status AvgPoolGradient(GradientContext& c) {
  Output grad = c.grad();
  return c.Return({c.Add(kGrad, {ShapeOf(c, c.input(0)), grad}, AttrsOf(c))});
}

template <const char* kOfGrad>
Status AvgPoolGradGradient(GradientContext& c) {
  Output grad = c.grad();
  Output stopped = c.Add("StopGradient", {c.input(0)});
  return c.Return({stopped, c.Add(kOfGrad, {grad}, AttrsOf(c))});
}

constexpr char kMaxPoolGrad[] = "MaxPoolGrad", kMaxPoolGradGrad[] = "MaxPoolGradGrad";
constexpr char kMaxPoolGradV2[] = "MaxPoolGradV2", kMaxPoolGradGradV2[] = "MaxPoolGradGradV2";
constexpr char kMaxPool3DGrad[] = "MaxPool3DGrad", kMaxPool3DGradGrad[] = "MaxPool3DGradGrad";
constexpr char kAvgPool[] = "AvgPool", kAvgPoolGrad[] = "AvgPoolGrad";
constexpr char kAvgPool3D[] = "AvgPool3D", kAvgPool3DGrad[] = "AvgPool3DGrad";

#define RAMET_POOL_SIZES Attr("ksize: list(int) >= 4").Attr("strides: list(int) >= 4")
#define RAMET_POOL3D_ATTRS                \
  Attr("ksize: list(int) >= 5")           \
      .Attr("strides: list(int) >= 5")    \
      .Attr("padding: {'SAME', 'VALID'}") \
      .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
#define RAMET_POOL_KERNELS(part, ...) \
  CpuKernelClasses<PoolKernelOf<PoolPart::part>::template Type, __VA_ARGS__>()
#define RAMET_POOL3D_KERNELS(part, ...) \
  CpuKernelClasses<PoolKernelOf<PoolPart::part, 3>::template Type, __VA_ARGS__>()
#define RAMET_POOLED RAMET_FLOATS, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t

RAMET_OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr(
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
        "float")
    .RAMET_POOL_SIZES.Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Doc(
        "Returns the largest element of each window of images [batch, height, width, channels] (or "
        "[batch, channels, height, width] with data_format NCHW), separately for each channel. "
        "ksize and strides give the size and step of the windows in all four dimensions. A window "
        "may instead cover adjacent channels, whose number it must evenly divide. Error: the rank "
        "is not 4; a window covers batches, or both pixels and channels, or is larger than the "
        "image.")
    .Shape(PoolShape<2>)
    .Gradient(MaxPoolGradient<kMaxPoolGrad>)
    .RAMET_POOL_KERNELS(kMax, RAMET_POOLED);

RAMET_OP("MaxPoolV2")
    .Input("input: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr(
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
        "float")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .HostMemory({"ksize", "strides"})
    .Doc(
        "MaxPool with ksize and strides as inputs, vectors of four numbers. Error: the same as "
        "MaxPool; ksize or strides does not have four elements.")
    .Shape(PoolV2Shape)
    .Gradient(MaxPoolGradient<kMaxPoolGradV2>)
    .RAMET_POOL_KERNELS(kMax, RAMET_POOLED);

RAMET_OP("MaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .RAMET_POOL_SIZES.Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: realnumbertype = float")
    .Doc(
        "Returns the gradient of MaxPool for its input: `grad` goes to the first of the largest "
        "elements of each window. Error: the shapes do not fit together; a window covers channels.")
    .Shape(LikeInputShape<2>)
    .Gradient(MaxPoolGradGradient<kMaxPoolGradGrad>)
    .RAMET_POOL_KERNELS(kMaxGrad, RAMET_REALS);

RAMET_OP("MaxPoolGradV2")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: realnumbertype = float")
    .HostMemory({"ksize", "strides"})
    .Doc("MaxPoolGrad with ksize and strides as inputs. Error: the same as MaxPoolGrad.")
    .Shape(LikeInputShape<2>)
    .Gradient(MaxPoolGradGradient<kMaxPoolGradGradV2>)
    .RAMET_POOL_KERNELS(kMaxGrad, RAMET_REALS);

RAMET_OP("MaxPoolGradGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .RAMET_POOL_SIZES.Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: realnumbertype")
    .Doc(
        "Returns the gradient of MaxPoolGrad for its input grad: the elements of `grad` (in the "
        "shape of orig_input) at the first of the largest elements of each window. Error: the "
        "shapes do not fit together; a window covers channels.")
    .Shape(LikeOutputShape)
    .Gradient(MaxPoolGradGradient<kMaxPoolGrad>)
    .RAMET_POOL_KERNELS(kMaxGradGrad, RAMET_REALS);

RAMET_OP("MaxPoolGradGradV2")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: realnumbertype")
    .HostMemory({"ksize", "strides"})
    .Doc("MaxPoolGradGrad with ksize and strides as inputs. Error: the same as MaxPoolGradGrad.")
    .Shape(LikeOutputShape)
    .Gradient(MaxPoolGradGradient<kMaxPoolGradV2>)
    .RAMET_POOL_KERNELS(kMaxGradGrad, RAMET_REALS);

RAMET_OP("MaxPoolWithArgmax")
    .Input("input: T")
    .Output("output: T")
    .Output("argmax: Targmax")
    .RAMET_POOL_SIZES.Attr("Targmax: {int32, int64} = int64")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr("T: realnumbertype")
    .Doc(
        "Returns the largest element of each window of images [batch, height, width, channels], "
        "and the index of the first of the largest elements: (y * width + x) * channels + channel, "
        "plus batch * height * width * channels with include_batch_in_index. Error: the same as "
        "MaxPool; the input is empty.")
    .Shape(PoolShape<2>)
    .Gradient(MaxPoolWithArgmaxGradient)
    .RAMET_POOL_KERNELS(kArgmax, RAMET_REALS);

RAMET_OP("MaxPoolGradWithArgmax")
    .Input("input: T")
    .Input("grad: T")
    .Input("argmax: Targmax")
    .Output("output: T")
    .RAMET_POOL_SIZES.Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr("Targmax: {int32, int64}")
    .Attr("T: realnumbertype")
    .Doc(
        "Returns the gradient of MaxPoolWithArgmax for its input: `grad` goes to the elements "
        "given by argmax. Error: the shapes do not fit together; argmax is out of range.")
    .Shape(LikeInputShape<2>)
    .RAMET_POOL_KERNELS(kArgmaxGrad, RAMET_REALS);

RAMET_OP("AvgPool")
    .Input("value: T")
    .Output("output: T")
    .RAMET_POOL_SIZES.Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .Doc(
        "Returns the mean of the elements of each window that are inside the image, with windows "
        "like those of MaxPool. Error: a window covers batches or channels, or is larger than the "
        "image.")
    .Shape(PoolShape<2>)
    .Gradient(AvgPoolGradient<kAvgPoolGrad>)
    .RAMET_POOL_KERNELS(kAvg, RAMET_FLOATS);

RAMET_OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .RAMET_POOL_SIZES.Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .HostMemory({"orig_input_shape"})
    .Doc(
        "Returns the gradient of AvgPool for its input, of shape orig_input_shape. Error: the "
        "shapes do not fit together; a window covers channels.")
    .Shape(AvgGradShape<2>)
    .Gradient(AvgPoolGradGradient<kAvgPool>)
    .RAMET_POOL_KERNELS(kAvgGrad, RAMET_FLOATS);

RAMET_OP("MaxPool3D")
    .Input("input: T")
    .Output("output: T")
    .RAMET_POOL3D_ATTRS.Attr("T: {half, bfloat16, float}")
    .Doc(
        "MaxPool for volumes [batch, depth, height, width, channels], or [batch, channels, depth, "
        "height, width] with data_format NCDHW. Error: a window covers batches or channels, or is "
        "larger than the volume.")
    .Shape(PoolShape<3>)
    .Gradient(MaxPoolGradient<kMaxPool3DGrad>)
    .RAMET_POOL3D_KERNELS(kMax, BFloat16, Half, float);

RAMET_OP("MaxPool3DGrad")
    .Input("orig_input: TInput")
    .Input("orig_output: TInput")
    .Input("grad: T")
    .Output("output: T")
    .RAMET_POOL3D_ATTRS.Attr("T: {half, bfloat16, float} = float")
    .Attr("TInput: {half, bfloat16, float} = float")
    .Doc(
        "Returns the gradient of MaxPool3D for its input, like MaxPoolGrad. T and TInput must be "
        "equal. Error: the shapes do not fit together; a window covers channels.")
    .Shape(LikeInputShape<3>)
    .Gradient(MaxPoolGradGradient<kMaxPool3DGradGrad>)
    .RAMET_POOL3D_KERNELS(kMaxGrad, BFloat16, Half, float);

RAMET_OP("MaxPool3DGradGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .RAMET_POOL3D_ATTRS.Attr("T: realnumbertype")
    .Doc(
        "Returns the gradient of MaxPool3DGrad for its input grad, like MaxPoolGradGrad. Error: "
        "the same as MaxPoolGradGrad.")
    .Shape(PoolShape<3>)
    .Gradient(MaxPoolGradGradient<kMaxPool3DGrad>)
    .RAMET_POOL3D_KERNELS(kMaxGradGrad, RAMET_REALS);

RAMET_OP("AvgPool3D")
    .Input("input: T")
    .Output("output: T")
    .RAMET_POOL3D_ATTRS.Attr("T: {half, bfloat16, float, double}")
    .Doc("AvgPool for volumes, like MaxPool3D. Error: the same as MaxPool3D.")
    .Shape(PoolShape<3>)
    .Gradient(AvgPoolGradient<kAvgPool3DGrad>)
    .RAMET_POOL3D_KERNELS(kAvg, RAMET_FLOATS);

RAMET_OP("AvgPool3DGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .RAMET_POOL3D_ATTRS.Attr("T: {half, bfloat16, float, double}")
    .HostMemory({"orig_input_shape"})
    .Doc(
        "Returns the gradient of AvgPool3D for its input, of shape orig_input_shape. Error: the "
        "shapes do not fit together; a window covers channels.")
    .Shape(AvgGradShape<3>)
    .Gradient(AvgPoolGradGradient<kAvgPool3D>)
    .RAMET_POOL3D_KERNELS(kAvgGrad, RAMET_FLOATS);

}  // namespace
}  // namespace ramet
