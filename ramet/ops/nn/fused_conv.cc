#include <algorithm>
#include <array>

#include "ramet/linalg/cast.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/mirror.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/conv_geometry.h"

// Convolutions of images that are padded with mirror images first, and resized before that. The
// tools that optimize graphs for inference put them in place of two or three ops.

namespace ramet {
namespace {

// The inputs of an op with or without a resize.
template <bool kResize>
constexpr int kPaddingsInput = kResize ? 2 : 1;
template <bool kResize>
constexpr int kFilterInput = kResize ? 3 : 2;

// \error kInvalidArgument: paddings of the batch or of channels.
Status CheckSpatialPadding(const Mirror& m, const Tensor& paddings) {
  constexpr const char* kOnlySpatial = "Fused mirror padding only support spatial padding, not ";
  for (const auto& [d, what] : {std::pair{0, "batches"}, std::pair{3, "channels"}}) {
    if (m.before[d] == 0 && m.after[d] == 0) continue;
    return InvalidArgument(kOnlySpatial, what, ": ", paddings.ToString());
  }
  return OkStatus();
}

template <bool kResize>
class FusedConvKernel final : public Kernel {
 public:
  FusedConvKernel(ConvAttrs attrs, ResizeMode mode, int64_t offset)
      : attrs_(std::move(attrs)), mode_(mode), offset_(offset) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    ConvAttrs attrs;
    RAMET_ASSIGN_OR_RETURN(attrs.window, ParseWindow(*node.attrs, 2, "Operation"));
    if (attrs.window.batch_stride != 1 || attrs.window.channel_stride != 1) {
      return InvalidArgument(
          "Current implementation does not yet support strides in the batch and depth dimensions.");
    }
    ResizeMode mode;
    mode.align_corners = node.attrs->GetOr("resize_align_corners", false);
    return std::unique_ptr<Kernel>(
        std::make_unique<FusedConvKernel>(std::move(attrs), mode, MirrorOffset(*node.attrs)));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(0).num_elements() == 0) return InvalidArgument("Input tensor can't be empty");
    RAMET_ASSIGN_OR_RETURN(const Tensor image, Resized(c));
    RAMET_ASSIGN_OR_RETURN(const Tensor padded, Padded(c, image));
    const Tensor& filter = c.input(kFilterInput<kResize>);
    if (filter.rank() != 4) {
      return InvalidArgument("filter must be 4-dimensional: ", filter.shape());
    }
    if (filter.dim(2) != padded.dim(3)) {
      return InvalidArgument("input and filter must have the same depth: ", padded.dim(3), " vs ",
                             filter.dim(2));
    }
    RAMET_ASSIGN_OR_RETURN(const linalg::ConvGeometry g,
                           ConvGeometryOf(attrs_, padded.shape(), filter.shape()));
    const Shape shape = ConvOutputShape(attrs_, g);
    if (shape.num_elements() == 0) return InvalidArgument("Output tensor can't be empty");
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, padded.dtype(), shape));
    if (filter.num_elements() == 0) return FillZeros(*y);
    return Convolve(ConvPart::kForward, g, padded, filter, *y);
  }

 private:
  StatusOr<Tensor> Resized(KernelContext& c) const {
    const Tensor& image = c.input(0);
    if constexpr (!kResize) return image;
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeOf(mode_, image, c.input(1)));
    RAMET_ASSIGN_OR_RETURN(const Shape shape,
                           Shape::Make(std::array{g.batch, g.rows.out, g.columns.out, g.channels}));
    const DType computed = image.dtype() == DType::kHalf ? DType::kFloat : image.dtype();
    RAMET_ASSIGN_OR_RETURN(Tensor resized, c.AllocateTemp(computed, shape));
    InterpolateImages(mode_, g, image, resized);
    if (computed == image.dtype()) return resized;
    RAMET_ASSIGN_OR_RETURN(Tensor rounded, c.AllocateTemp(image.dtype(), shape));
    linalg::Cast(LinalgType(computed), resized.raw_data(), LinalgType(image.dtype()),
                 rounded.raw_data(), shape.num_elements());
    return rounded;
  }

  StatusOr<Tensor> Padded(KernelContext& c, const Tensor& image) const {
    const Tensor& paddings = c.input(kPaddingsInput<kResize>);
    RAMET_ASSIGN_OR_RETURN(const Mirror m, ReadMirror(paddings, offset_, image.shape()));
    if (image.rank() != 4) {
      return InvalidArgument("Fused mirror padding only supports four-dimensional inputs, but ",
                             image.rank(), " requested");
    }
    RAMET_ASSIGN_OR_RETURN(const Shape shape, MirroredShape(m, image.shape()));
    RAMET_RETURN_IF_ERROR(CheckSpatialPadding(m, paddings));
    if (shape == image.shape()) return image;
    RAMET_ASSIGN_OR_RETURN(Tensor padded, c.AllocateTemp(image.dtype(), shape));
    RAMET_RETURN_IF_ERROR(MirrorElements(m, image, padded));
    return padded;
  }

  const ConvAttrs attrs_;
  const ResizeMode mode_;
  const int64_t offset_;
};

template <class T>
using PadConvKernel = FusedConvKernel<false>;
template <class T>
using ResizePadConvKernel = FusedConvKernel<true>;

// Sets the height and width of `image` to the values of `size`, input 1.
Status ResizeInferred(ShapeContext& c, Shape* image) {
  RAMET_RETURN_IF_ERROR(c.input(1).MergeWith(Shape{2}).status());
  const Tensor* size = c.constant(1);
  for (int d : {1, 2}) {
    image->set_dim(d, size == nullptr ? -1 : std::max<int64_t>(IntegerAt(*size, d - 1), -1));
  }
  return OkStatus();
}

// Returns the shape of `image` after padding, as far as it is known.
StatusOr<Shape> PadInferred(ShapeContext& c, int input, const Shape& image) {
  RAMET_ASSIGN_OR_RETURN(const Shape matrix, c.WithRank(input, 2));
  if (matrix.dim(0) >= 0 && matrix.dim(0) != 4) {
    return InvalidArgument("Shape must be rank ", matrix.dim(0), " but is rank 4");
  }
  RAMET_RETURN_IF_ERROR(matrix.MergeWith(Shape{4, 2}).status());
  const Tensor* paddings = c.constant(input);
  if (paddings == nullptr) return Shape::OfRank(4);
  Shape padded = image;
  for (int d = 0; d < 4; ++d) {
    const int64_t before = IntegerAt(*paddings, 2 * d), after = IntegerAt(*paddings, 2 * d + 1);
    if (before < 0 || after < 0) return InvalidArgument("Paddings must be non-negative");
    if (image.dim(d) < 0) continue;
    int64_t size;
    if (__builtin_add_overflow(image.dim(d), before + after, &size)) {
      return InvalidArgument("dimension ", d, " of size ", image.dim(d), " padded by ", before,
                             " and ", after, " overflows");
    }
    padded.set_dim(d, size);
  }
  return padded;
}

template <bool kResize>
Status FusedConvShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape image, c.WithRank(0, 4));
  if (kResize) RAMET_RETURN_IF_ERROR(ResizeInferred(c, &image));
  RAMET_ASSIGN_OR_RETURN(const Shape padded, PadInferred(c, kPaddingsInput<kResize>, image));
  RAMET_ASSIGN_OR_RETURN(const Shape filter, c.WithRank(kFilterInput<kResize>, 4));
  RAMET_ASSIGN_OR_RETURN(const WindowAttrs window, ParseWindow(c.attrs(), 2, "Operation"));
  if (padded.dim(3) >= 0 && filter.dim(2) >= 0 && padded.dim(3) != filter.dim(2)) {
    return InvalidArgument("Dimensions must be equal, but are ", padded.dim(3), " and ",
                           filter.dim(2));
  }
  Shape output{padded.dim(0), -1, -1, filter.dim(3)};
  for (int d : {0, 1}) {
    RAMET_ASSIGN_OR_RETURN(const int64_t size,
                           InferPositions(window, d, padded.dim(d + 1), filter.dim(d)));
    output.set_dim(d + 1, size);
  }
  c.set_output(0, std::move(output));
  return OkStatus();
}

RAMET_OP("FusedPadConv2D")
    .Input("input: T")
    .Input("paddings: int32")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Doc(
        "Returns Conv2D of MirrorPad: the convolution of images [batch, height, width, channels] "
        "that are padded with mirror images first. `paddings` is [4, 2] and pads only height and "
        "width. Error: the images or the result have no elements; the shapes do not fit together; "
        "a padding is negative or larger than the dimension (with REFLECT, as large); strides "
        "apply to batch or channels.")
    .HostMemory({"paddings"})
    .Shape(FusedConvShape<false>)
    .CpuKernelClasses<PadConvKernel, RAMET_FLOATS>();

RAMET_OP("FusedResizeAndPadConv2D")
    .Input("input: T")
    .Input("size: int32")
    .Input("paddings: int32")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Attr("resize_align_corners: bool = false")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Doc(
        "Returns Conv2D of MirrorPad of ResizeBilinear: like FusedPadConv2D for images that are "
        "resized to `size`, a vector of height and width, before they are padded. With "
        "resize_align_corners, the centers of the corner pixels stay in place. Error: the same as "
        "FusedPadConv2D; `size` does not have two positive elements.")
    .HostMemory({"size", "paddings"})
    .Shape(FusedConvShape<true>)
    .CpuKernelClasses<ResizePadConvKernel, Half, float, double>();

}  // namespace
}  // namespace ramet
