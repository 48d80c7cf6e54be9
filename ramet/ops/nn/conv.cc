#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/conv_kernels.h"

// Convolutions of images and volumes, their gradients for input and filter, and the depthwise
// convolutions.

namespace ramet {
namespace {

constexpr ConvFamily kConv2D = {2,
                                false,
                                "Conv2D",
                                "Conv2DBackpropInput",
                                "Conv2DBackpropFilter",
                                "Conv2DCustomBackpropInput",
                                "Conv2DCustomBackpropFilter"};
constexpr ConvFamily kConv3D = {3,
                                false,
                                "Conv3D",
                                "Conv3DBackpropInputV2",
                                "Conv3DBackpropFilterV2",
                                "Conv3DBackpropInputOp",
                                "Conv3DBackpropFilterOp"};
constexpr ConvFamily kDepthwise = {2,
                                   true,
                                   "DepthwiseConv2dNative",
                                   "DepthwiseConv2dNativeBackpropInput",
                                   "DepthwiseConv2dNativeBackpropFilter",
                                   "DepthwiseConv2DBackpropInput",
                                   "DepthwiseConv2DBackpropFilter"};

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

template <const ConvFamily& kFamily>
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

template <const ConvFamily& kFamily>
Status BackpropInputGradient(GradientContext& c) {
  Output grad = c.grad();
  Output df =
      c.Add(kFamily.backprop_filter, {grad, ShapeOf(c, c.input(1)), c.input(2)}, AttrsOf(c));
  Output ddy = c.Add(kFamily.op, {grad, c.input(1)}, AttrsOf(c));
  return c.Return({Gradient(), df, ddy});
}

template <const ConvFamily& kFamily>
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
  CpuKernelClasses<ConvKernelOf<family, ConvOpPart::part>::template Type, __VA_ARGS__>()

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
