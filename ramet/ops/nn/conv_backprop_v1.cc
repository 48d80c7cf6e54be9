#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/conv_geometry.h"

// The first versions of the gradients of Conv3D, which take an input or a filter only for its
// shape.

namespace ramet {
namespace {

template <bool kFilter>
class Conv3DBackpropKernel final : public Kernel {
 public:
  explicit Conv3DBackpropKernel(ConvAttrs attrs) : attrs_(std::move(attrs)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    constexpr const char* kLabel = kFilter ? "Conv3DBackpropFilterOp" : "Conv3DBackpropInputOp";
    RAMET_ASSIGN_OR_RETURN(ConvAttrs attrs, ConvAttrs::Parse(*node.attrs, 3, false, kLabel));
    return std::unique_ptr<Kernel>(std::make_unique<Conv3DBackpropKernel>(std::move(attrs)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &input = c.input(0), &filter = c.input(1), &dy = c.input(2);
    RAMET_ASSIGN_OR_RETURN(const linalg::ConvGeometry g,
                           BackpropGeometryOf(attrs_, input.shape(), filter.shape(), dy.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, dy.dtype(), c.input(kFilter).shape()));
    if (kFilter) return Convolve(ConvPart::kBackpropFilter, g, input, dy, *dx);
    return Convolve(ConvPart::kBackpropInput, g, filter, dy, *dx);
  }

 private:
  const ConvAttrs attrs_;
};

template <class T>
using BackpropInputV1Kernel = Conv3DBackpropKernel<false>;
template <class T>
using BackpropFilterV1Kernel = Conv3DBackpropKernel<true>;

template <int kInput>
Status VolumeShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.WithRank(kInput, 5));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

#define RAMET_CONV3D_BACKPROP(name)       \
  RAMET_OP(name)                          \
      .Input("input: T")                  \
      .Input("filter: T")                 \
      .Input("out_backprop: T")           \
      .Output("output: T")                \
      .Attr("T: {half, float, double}")   \
      .Attr("strides: list(int) >= 5")    \
      .Attr("padding: {'SAME', 'VALID'}") \
      .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")

RAMET_CONV3D_BACKPROP("Conv3DBackpropInput")
    .Doc(
        "Returns the gradient of Conv3D for its input, like Conv3DBackpropInputV2. The shape is "
        "that of `input`, whose elements are not read. Error: the shapes do not fit together; the "
        "attrs are invalid (see Conv3D).")
    .Shape(VolumeShape<0>)
    .CpuKernelClasses<BackpropInputV1Kernel, Half, float, double>();

RAMET_CONV3D_BACKPROP("Conv3DBackpropFilter")
    .Doc(
        "Returns the gradient of Conv3D for its filter, like Conv3DBackpropFilterV2. The shape is "
        "that of `filter`, whose elements are not read. Error: the shapes do not fit together; the "
        "attrs are invalid (see Conv3D).")
    .Shape(VolumeShape<1>)
    .CpuKernelClasses<BackpropFilterV1Kernel, Half, float, double>();

}  // namespace
}  // namespace ramet
