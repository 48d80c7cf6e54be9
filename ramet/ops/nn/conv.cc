#include "ramet/linalg/conv.h"

#include <optional>

#include "ramet/linalg/bias.h"
#include "ramet/op/channel_steps.h"
#include "ramet/op/epilogue.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/conv_geometry.h"

// Convolutions of images and volumes, their gradients for input and filter, and the depthwise
// convolutions.

namespace ramet {
namespace {

// Selects an op of a family: the convolution or one of its gradients.
enum class Part { kForward, kInput, kFilter };

// The convolutions of one rank, or the depthwise convolutions.
struct Family {
  int spatial;
  bool depthwise;
  const char* op;
  const char* backprop_input;
  const char* backprop_filter;
  const char* input_label;  // for messages
  const char* filter_label;
};

constexpr Family kConv2D = {2,
                            false,
                            "Conv2D",
                            "Conv2DBackpropInput",
                            "Conv2DBackpropFilter",
                            "Conv2DCustomBackpropInput",
                            "Conv2DCustomBackpropFilter"};
constexpr Family kConv3D = {3,
                            false,
                            "Conv3D",
                            "Conv3DBackpropInputV2",
                            "Conv3DBackpropFilterV2",
                            "Conv3DBackpropInputOp",
                            "Conv3DBackpropFilterOp"};
constexpr Family kDepthwise = {2,
                               true,
                               "DepthwiseConv2dNative",
                               "DepthwiseConv2dNativeBackpropInput",
                               "DepthwiseConv2dNativeBackpropFilter",
                               "DepthwiseConv2DBackpropInput",
                               "DepthwiseConv2DBackpropFilter"};

template <const Family& kFamily, Part kPart>
class ConvKernel : public Kernel {
 public:
  explicit ConvKernel(ConvAttrs attrs) : attrs_(std::move(attrs)) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    constexpr const char* kLabel = kPart == Part::kForward ? kFamily.op
                                   : kPart == Part::kInput ? kFamily.input_label
                                                           : kFamily.filter_label;
    RAMET_ASSIGN_OR_RETURN(
        ConvAttrs attrs, ConvAttrs::Parse(*node.attrs, kFamily.spatial, kFamily.depthwise, kLabel));
    return std::unique_ptr<Kernel>(std::make_unique<ConvKernel>(std::move(attrs)));
  }

  Status Compute(KernelContext& c) override {
    if constexpr (kPart == Part::kForward) return Forward(c);
    return kPart == Part::kInput ? BackpropInput(c) : BackpropFilter(c);
  }

 protected:
  const ConvAttrs& attrs() const { return attrs_; }

 private:
  Status Forward(KernelContext& c) const {
    const Tensor& input = c.input(0);
    const Tensor& filter = c.input(1);
    const int rank = attrs_.window.rank();
    if (input.rank() != rank) {
      return InvalidArgument("convolution input must be ", rank, "-dimensional: ", input.shape());
    }
    if (filter.rank() != rank) {
      return InvalidArgument("convolution filter must be ", rank, "-dimensional: ", filter.shape());
    }
    if (filter.num_elements() == 0) {
      return InvalidArgument(
          "filter must not have zero elements (i.e. all dimensions must be non-zero)");
    }
    RAMET_ASSIGN_OR_RETURN(linalg::ConvGeometry g,
                           ConvGeometryOf(attrs_, input.shape(), filter.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, input.dtype(), ConvOutputShape(attrs_, g)));
    return Convolve(ConvPart::kForward, g, input, filter, *y);
  }

  Status BackpropInput(KernelContext& c) const {
    const Tensor& filter = c.input(1);
    const Tensor& dy = c.input(2);
    RAMET_ASSIGN_OR_RETURN(Shape input, InputShape(c.input(0), filter.shape(), dy.shape()));
    RAMET_ASSIGN_OR_RETURN(linalg::ConvGeometry g,
                           BackpropGeometryOf(attrs_, input, filter.shape(), dy.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, dy.dtype(), input));
    return Convolve(ConvPart::kBackpropInput, g, filter, dy, *dx);
  }

  Status BackpropFilter(KernelContext& c) const {
    const Tensor& input = c.input(0);
    const Tensor& dy = c.input(2);
    RAMET_ASSIGN_OR_RETURN(Shape filter, ShapeArg(c.input(1), "filter_sizes"));
    RAMET_ASSIGN_OR_RETURN(linalg::ConvGeometry g,
                           BackpropGeometryOf(attrs_, input.shape(), filter, dy.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * df, c.Allocate(0, dy.dtype(), filter));
    return Convolve(ConvPart::kBackpropFilter, g, input, dy, *df);
  }

  // Returns the input shape from input_sizes; for Conv2D, input_sizes may be only height and width.
  StatusOr<Shape> InputShape(const Tensor& sizes, const Shape& filter, const Shape& dy) const {
    if (sizes.rank() != 1) {
      return InvalidArgument(kFamily.backprop_input, ": input_sizes input must be 1-dim, not ",
                             sizes.rank());
    }
    const bool short_form = kFamily.spatial == 2 && !kFamily.depthwise && sizes.dim(0) == 2;
    const WindowAttrs& w = attrs_.window;
    if (!short_form || filter.rank() != w.rank() || dy.rank() != w.rank()) {
      if (sizes.dim(0) != w.rank()) {
        return InvalidArgument(kFamily.backprop_input, " requires input_sizes to contain ",
                               w.rank(), " values", kFamily.depthwise ? "" : " or 2 values",
                               ", but got: ", sizes.dim(0));
      }
      return ShapeArg(sizes, "input_sizes");
    }
    Dims dims(w.rank(), 0);
    dims[w.batch_axis()] = dy.dim(w.batch_axis());
    dims[w.channel_axis()] = filter.dim(2);
    for (int d = 0; d < 2; ++d) dims[w.spatial_axis(d)] = IntegerAt(sizes, d);
    return Shape::Make(dims);
  }

  const ConvAttrs attrs_;
};

// A convolution with an epilogue that adds the biases.
template <const Family& kFamily>
class BiasedConvKernel final : public ConvKernel<kFamily, Part::kForward>, public EpilogueKernel {
 public:
  using ConvKernel<kFamily, Part::kForward>::ConvKernel;

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(ConvAttrs attrs, ConvAttrs::Parse(*node.attrs, kFamily.spatial,
                                                             kFamily.depthwise, kFamily.op));
    return std::unique_ptr<Kernel>(std::make_unique<BiasedConvKernel>(std::move(attrs)));
  }

  bool ComputeWith(Epilogue epilogue, KernelContext& c) override {
    const Tensor& bias = c.input(2);
    const auto g = GeometryOf(c);
    if (!g || bias.rank() != 1 || bias.dim(0) != g->out_channels) return false;
    const auto y = c.Allocate(0, kFloat, ConvOutputShape(this->attrs(), *g));
    if (!y.ok()) return false;
    linalg::ConvBias(linalg::Type::kFloat, *g, c.input(0).raw_data(), c.input(1).raw_data(),
                     bias.raw_data(), epilogue == Epilogue::kAddRelu, (*y)->raw_data());
    return true;
  }

  bool ComputeWithSteps(std::span<const ChannelStep> steps, KernelContext& c) override {
    const auto g = GeometryOf(c);
    if (!g) return false;
    const Shape shape = ConvOutputShape(this->attrs(), *g);
    linalg::ChannelEpilogue epilogue;
    if (!ResolveChannelSteps(steps, c, 2, shape, &epilogue)) return false;
    const auto y = c.Allocate(0, kFloat, shape);
    if (!y.ok()) return false;
    linalg::ConvWithEpilogue(*g, c.input(0).data<float>(), c.input(1).data<float>(), epilogue,
                             static_cast<float*>((*y)->raw_data()));
    return true;
  }

 private:
  // Returns the geometry if an epilogue can be applied, or nothing.
  std::optional<linalg::ConvGeometry> GeometryOf(KernelContext& c) const {
    const Tensor &input = c.input(0), &filter = c.input(1);
    const int rank = this->attrs().window.rank();
    if (DeviceMath::Of(input) != nullptr || input.dtype() != kFloat) return std::nullopt;
    if (input.rank() != rank || filter.rank() != rank) return std::nullopt;
    if (input.num_elements() == 0 || filter.num_elements() == 0) return std::nullopt;
    const auto g = ConvGeometryOf(this->attrs(), input.shape(), filter.shape());
    if (!g.ok() || g->channels_first) return std::nullopt;
    return *g;
  }
};

template <const Family& kFamily, Part kPart>
struct ConvKernelOf {
  template <class T>
  using Type = std::conditional_t<kPart == Part::kForward, BiasedConvKernel<kFamily>,
                                  ConvKernel<kFamily, kPart>>;
};

// Returns the attrs of a convolution, to pass on to another op of its family.
AttrMap AttrsOf(GradientContext& c) {
  AttrMap attrs;
  const auto own = c.op().attrs();
  for (const char* name : {"strides", "padding", "explicit_paddings", "data_format", "dilations",
                           "use_cudnn_on_gpu"}) {
    if (const Attr* value = own->Find(name)) attrs.Set(name, *value);
  }
  return attrs;
}

template <const Family& kFamily>
Status ConvGradient(GradientContext& c) {
  Output grad = c.grad();
  Operation shapes = c.AddOperation("ShapeN", {c.input(0), c.input(1)}, {{"N", int64_t{2}}});
  Output dx = c.Add(kFamily.backprop_input, {shapes.output(0), c.input(1), grad}, AttrsOf(c));
  Output df = c.Add(kFamily.backprop_filter, {c.input(0), shapes.output(1), grad}, AttrsOf(c));
  return c.Return({dx, df});
}

Status DepthwiseGradient(GradientContext& c) {
  Output grad = c.grad();
  Output dx =
      c.Add(kDepthwise.backprop_input, {ShapeOf(c, c.input(0)), c.input(1), grad}, AttrsOf(c));
  Output df =
      c.Add(kDepthwise.backprop_filter, {c.input(0), ShapeOf(c, c.input(1)), grad}, AttrsOf(c));
  return c.Return({dx, df});
}

template <const Family& kFamily>
Status BackpropInputGradient(GradientContext& c) {
  Output grad = c.grad();
  Output df =
      c.Add(kFamily.backprop_filter, {grad, ShapeOf(c, c.input(1)), c.input(2)}, AttrsOf(c));
  Output ddy = c.Add(kFamily.op, {grad, c.input(1)}, AttrsOf(c));
  return c.Return({Gradient(), df, ddy});
}

template <const Family& kFamily>
Status BackpropFilterGradient(GradientContext& c) {
  Output grad = c.grad();
  Output dx = c.Add(kFamily.backprop_input, {ShapeOf(c, c.input(0)), grad, c.input(2)}, AttrsOf(c));
  Output ddy = c.Add(kFamily.op, {c.input(0), grad}, AttrsOf(c));
  return c.Return({dx, Gradient(), ddy});
}

#define RAMET_CONV2D_ATTRS                            \
  Attr("strides: list(int)")                          \
      .Attr("use_cudnn_on_gpu: bool = true")          \
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}") \
      .Attr("explicit_paddings: list(int) = []")      \
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'") \
      .Attr("dilations: list(int) = [1, 1, 1, 1]")
#define RAMET_DEPTHWISE_ATTRS                         \
  Attr("strides: list(int)")                          \
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}") \
      .Attr("explicit_paddings: list(int) = []")      \
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'") \
      .Attr("dilations: list(int) = [1, 1, 1, 1]")
#define RAMET_CONV3D_ATTRS                               \
  Attr("strides: list(int) >= 5")                        \
      .Attr("padding: {'SAME', 'VALID'}")                \
      .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'") \
      .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
#define RAMET_CONV_KERNELS(family, part, ...) \
  CpuKernelClasses<ConvKernelOf<family, Part::part>::template Type, __VA_ARGS__>()

RAMET_OP("Conv2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .RAMET_CONV2D_ATTRS
    .Doc(
        "Returns the cross-correlation of images [batch, height, width, in] (or [batch, in, "
        "height, width] with data_format NCHW) with a filter [height, width, in / groups, out]. "
        "The window moves by `strides`; `dilations` is the distance between the elements of the "
        "filter. With padding SAME, the input is padded evenly so that the output size is "
        "ceil(size / stride); with VALID, windows stay inside the image; with EXPLICIT, "
        "explicit_paddings gives the padding before and after each dimension. Error: the ranks or "
        "channels of input and filter do not fit together; the filter is empty; the window is "
        "larger than the padded image; strides, dilations or paddings apply to batch or channels "
        "(kUnimplemented for strides and dilations).")
    .Shape([](ShapeContext& c) { return ConvShape(c, 2, false); })
    .Gradient(ConvGradient<kConv2D>)
    .RAMET_CONV_KERNELS(kConv2D, kForward, RAMET_FLOATS, int32_t);

RAMET_OP("Conv2DBackpropInput")
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .RAMET_CONV2D_ATTRS.HostMemory({"input_sizes"})
    .Doc(
        "Returns the gradient of Conv2D for its input, given the gradient out_backprop of its "
        "output. This is a transposed convolution. input_sizes is the shape of the input, or only "
        "its height and width. Error: the shapes do not fit together; the attrs are invalid (see "
        "Conv2D).")
    .Shape([](ShapeContext& c) { return ConvBackpropInputShape(c, 2, false); })
    .Gradient(BackpropInputGradient<kConv2D>)
    .RAMET_CONV_KERNELS(kConv2D, kInput, RAMET_FLOATS, int32_t);

RAMET_OP("Conv2DBackpropFilter")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .RAMET_CONV2D_ATTRS.HostMemory({"filter_sizes"})
    .Doc(
        "Returns the gradient of Conv2D for its filter, of shape filter_sizes, given the gradient "
        "out_backprop of its output. Error: the shapes do not fit together; the attrs are invalid "
        "(see Conv2D).")
    .Shape([](ShapeContext& c) { return ConvBackpropFilterShape(c, 2); })
    .Gradient(BackpropFilterGradient<kConv2D>)
    .RAMET_CONV_KERNELS(kConv2D, kFilter, RAMET_FLOATS);

RAMET_OP("Conv3D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .RAMET_CONV3D_ATTRS
    .Doc(
        "Returns the cross-correlation of volumes [batch, depth, height, width, in] (or [batch, "
        "in, depth, height, width] with data_format NCDHW) with a filter [depth, height, width, in "
        "/ groups, out], like Conv2D. Error: the ranks or channels of input and filter do not fit "
        "together; the filter is empty; the window is larger than the padded volume; strides or "
        "dilations apply to batch or channels (kUnimplemented).")
    .Shape([](ShapeContext& c) { return ConvShape(c, 3, false); })
    .Gradient(ConvGradient<kConv3D>)
    .RAMET_CONV_KERNELS(kConv3D, kForward, RAMET_FLOATS);

RAMET_OP("Conv3DBackpropInputV2")
    .Input("input_sizes: Tshape")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .RAMET_CONV3D_ATTRS.Attr("Tshape: {int32, int64} = int32")
    .HostMemory({"input_sizes"})
    .Doc(
        "Returns the gradient of Conv3D for its input, of shape input_sizes, given the gradient "
        "out_backprop of its output. Error: the shapes do not fit together; the attrs are invalid "
        "(see Conv3D).")
    .Shape([](ShapeContext& c) { return ConvBackpropInputShape(c, 3, false); })
    .Gradient(BackpropInputGradient<kConv3D>)
    .RAMET_CONV_KERNELS(kConv3D, kInput, RAMET_FLOATS);

RAMET_OP("Conv3DBackpropFilterV2")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .RAMET_CONV3D_ATTRS.HostMemory({"filter_sizes"})
    .Doc(
        "Returns the gradient of Conv3D for its filter, of shape filter_sizes, given the gradient "
        "out_backprop of its output. Error: the shapes do not fit together; the attrs are invalid "
        "(see Conv3D).")
    .Shape([](ShapeContext& c) { return ConvBackpropFilterShape(c, 3); })
    .Gradient(BackpropFilterGradient<kConv3D>)
    .RAMET_CONV_KERNELS(kConv3D, kFilter, RAMET_FLOATS);

RAMET_OP("DepthwiseConv2dNative")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .RAMET_DEPTHWISE_ATTRS
    .Doc(
        "Returns the convolution of each channel of images [batch, height, width, in] with its own "
        "filters, [height, width, in, multiplier]. Channel k * multiplier + q of the output is "
        "channel k of the input convolved with filter [k, q]. Strides, dilations, padding and "
        "data_format are as in Conv2D. Error: the same as Conv2D.")
    .Shape([](ShapeContext& c) { return ConvShape(c, 2, true); })
    .Gradient(DepthwiseGradient)
    .RAMET_CONV_KERNELS(kDepthwise, kForward, RAMET_FLOATS);

RAMET_OP("DepthwiseConv2dNativeBackpropInput")
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .RAMET_DEPTHWISE_ATTRS.HostMemory({"input_sizes"})
    .Doc(
        "Returns the gradient of DepthwiseConv2dNative for its input, of shape input_sizes, given "
        "the gradient out_backprop of its output. Error: the shapes do not fit together; the attrs "
        "are invalid (see Conv2D).")
    .Shape([](ShapeContext& c) { return ConvBackpropInputShape(c, 2, true); })
    .Gradient(BackpropInputGradient<kDepthwise>)
    .RAMET_CONV_KERNELS(kDepthwise, kInput, RAMET_FLOATS);

RAMET_OP("DepthwiseConv2dNativeBackpropFilter")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .RAMET_DEPTHWISE_ATTRS.HostMemory({"filter_sizes"})
    .Doc(
        "Returns the gradient of DepthwiseConv2dNative for its filter, of shape filter_sizes, "
        "given the gradient out_backprop of its output. Error: the shapes do not fit together; the "
        "attrs are invalid (see Conv2D).")
    .Shape([](ShapeContext& c) { return ConvBackpropFilterShape(c, 2); })
    .Gradient(BackpropFilterGradient<kDepthwise>)
    .RAMET_CONV_KERNELS(kDepthwise, kFilter, RAMET_FLOATS);

}  // namespace
}  // namespace ramet
