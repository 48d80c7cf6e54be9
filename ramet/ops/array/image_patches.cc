#include <array>
#include <cstring>

#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/conv.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/nn/window.h"

// ExtractImagePatches and ExtractVolumePatches.

namespace ramet {
namespace {

constexpr int64_t kMaxPatchElements = int64_t{1} << 31;

// Reads an attr with a number for each dimension: 1 for batch and channels, and positive ones,
// which go to `values`.
Status ReadSides(const AttrMap& attrs, const char* op, const char* name, int spatial,
                 int64_t* values) {
  RAMET_ASSIGN_OR_RETURN(auto list, attrs.Get<std::vector<int64_t>>(name));
  if (std::ssize(list) != spatial + 2) {
    return InvalidArgument(op, " requires the ", name, " attribute to contain ", spatial + 2,
                           " values, but got: ", list.size());
  }
  if (list.front() != 1 || list.back() != 1) {
    return Unimplemented("Only support ", name, " across space.");
  }
  for (int d = 0; d < spatial; ++d) {
    values[d] = list[d + 1];
    if (values[d] < 1 || values[d] >= kMaxPatchElements) {
      return OutOfRange(name, " is out of range.");
    }
  }
  return OkStatus();
}

template <int kSpatial>
StatusOr<WindowAttrs> ReadWindow(const AttrMap& attrs) {
  constexpr const char* kOp = kSpatial == 2 ? "ExtractImagePatches" : "ExtractVolumePatches";
  WindowAttrs w;
  w.spatial = kSpatial;
  if (attrs.GetOr<std::string>("padding", "") == "SAME") w.padding = WindowAttrs::Padding::kSame;
  RAMET_RETURN_IF_ERROR(ReadSides(attrs, kOp, "ksizes", kSpatial, w.size));
  RAMET_RETURN_IF_ERROR(ReadSides(attrs, kOp, "strides", kSpatial, w.stride));
  if (kSpatial == 2) RAMET_RETURN_IF_ERROR(ReadSides(attrs, kOp, "rates", kSpatial, w.dilation));
  return w;
}

// Returns the number of elements in a patch of an image with `channels` channels.
// \error kInvalidArgument: the number overflows.
StatusOr<int64_t> PatchDepth(const WindowAttrs& w, int64_t channels) {
  int64_t depth = channels;
  for (int d = 0; d < w.spatial; ++d) {
    if (MultiplyNonNegative(depth, w.size[d], &depth)) continue;
    return InvalidArgument("the patches are too large: the number of elements per patch overflows");
  }
  return depth;
}

// The windows on an image, in the terms of a convolution. An image has a single plane.
StatusOr<linalg::ConvGeometry> PlaceWindows(const WindowAttrs& w, const Shape& image) {
  linalg::ConvGeometry g;
  g.batch = image.dim(0);
  g.in_channels = image.dim(w.channel_axis());
  for (int d = 0; d < w.spatial; ++d) {
    const int at = 3 - w.spatial + d;
    g.in[at] = image.dim(w.spatial_axis(d));
    g.filter[at] = w.size[d];
    g.stride[at] = w.stride[d];
    g.dilation[at] = w.dilation[d];
    RAMET_ASSIGN_OR_RETURN(const WindowPositions p, PositionWindow(w, d, g.in[at], w.size[d]));
    g.out[at] = p.count;
    g.pad[at] = p.before;
  }
  RAMET_ASSIGN_OR_RETURN(g.out_channels, PatchDepth(w, g.in_channels));
  return g;
}

// Copies the patch of an image [planes, height, width, channels] whose first element is at `first`.
template <class U>
U* CopyPatch(const linalg::ConvGeometry& g, const U* image, const int64_t (&first)[3], U* out) {
  const int64_t depth = g.in_channels;
  const auto inside = [&](int d, int64_t at) { return at >= 0 && at < g.in[d]; };
  for (int64_t i = 0; i < g.filter[0]; ++i) {
    const int64_t z = first[0] + i * g.dilation[0];
    for (int64_t j = 0; j < g.filter[1]; ++j) {
      const int64_t y = first[1] + j * g.dilation[1], row = (z * g.in[1] + y) * g.in[2];
      const bool known = inside(0, z) && inside(1, y);
      for (int64_t k = 0; k < g.filter[2]; ++k, out += depth) {
        const int64_t x = first[2] + k * g.dilation[2];
        if (known && inside(2, x)) {
          std::memcpy(static_cast<void*>(out), image + (row + x) * depth, depth * sizeof(U));
        } else {
          std::memset(static_cast<void*>(out), 0, depth * sizeof(U));
        }
      }
    }
  }
  return out;
}

template <class U>
void CopyPatches(const linalg::ConvGeometry& g, const Tensor& x, Tensor& y) {
  const U* image = static_cast<const U*>(x.raw_data());
  U* out = static_cast<U*>(y.raw_data());
  const int64_t elements = g.in_pixels() * g.in_channels;
  const auto first = [&](int d, int64_t i) { return i * g.stride[d] - g.pad[d]; };
  for (int64_t n = 0; n < g.batch; ++n, image += elements) {
    for (int64_t i = 0; i < g.out[0]; ++i) {
      for (int64_t j = 0; j < g.out[1]; ++j) {
        for (int64_t k = 0; k < g.out[2]; ++k) {
          out = CopyPatch(g, image, {first(0, i), first(1, j), first(2, k)}, out);
        }
      }
    }
  }
}

template <int kSpatial>
class PatchesKernel final : public Kernel {
 public:
  explicit PatchesKernel(const WindowAttrs& window) : window_(window) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(WindowAttrs window, ReadWindow<kSpatial>(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<PatchesKernel>(window));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (x.rank() != kSpatial + 2) {
      return InvalidArgument("input must be ", kSpatial + 2, "-dimensional", x.shape());
    }
    RAMET_ASSIGN_OR_RETURN(const linalg::ConvGeometry g, PlaceWindows(window_, x.shape()));
    Dims dims(kSpatial + 2, g.batch);
    for (int d = 0; d < kSpatial; ++d) dims[d + 1] = g.out[3 - kSpatial + d];
    dims[kSpatial + 1] = g.out_channels;
    RAMET_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
    if (y->num_elements() == 0) return OkStatus();
    switch (DTypeSize(x.dtype())) {
      case 1: CopyPatches<uint8_t>(g, x, *y); break;
      case 2: CopyPatches<uint16_t>(g, x, *y); break;
      case 4: CopyPatches<uint32_t>(g, x, *y); break;
      case 8: CopyPatches<uint64_t>(g, x, *y); break;
      default: CopyPatches<Wide>(g, x, *y);
    }
    return OkStatus();
  }

 private:
  const WindowAttrs window_;
};

template <class T>
using ImagePatchesKernel = PatchesKernel<2>;
template <class T>
using VolumePatchesKernel = PatchesKernel<3>;

template <int kSpatial>
Status PatchesShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.WithRank(0, kSpatial + 2));
  RAMET_ASSIGN_OR_RETURN(const WindowAttrs w, ReadWindow<kSpatial>(c.attrs()));
  for (int d = 1; d <= kSpatial; ++d) {
    if (shape.dim(d) < 0) continue;
    RAMET_ASSIGN_OR_RETURN(const WindowPositions p,
                           PositionWindow(w, d - 1, shape.dim(d), w.size[d - 1]));
    shape.set_dim(d, p.count);
  }
  if (shape.dim(kSpatial + 1) >= 0) {
    RAMET_ASSIGN_OR_RETURN(const int64_t depth, PatchDepth(w, shape.dim(kSpatial + 1)));
    shape.set_dim(kSpatial + 1, depth);
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Sums the gradients of patches at the image positions that they come from. These positions are the
// patches of an image of position numbers, in which 0 stands for padding.
template <int kSpatial>
Status PatchesGradient(GradientContext& c) {
  AttrMap attrs;
  const auto own = c.op().attrs();
  for (const char* name : {"ksizes", "strides", "rates", "padding"}) {
    if (const Attr* value = own->Find(name)) attrs.Set(name, *value);
  }
  const Output shape = ShapeOf(c, c.input(0));
  const Output batch = ElementAt(c, shape, 0), depth = ElementAt(c, shape, kSpatial + 1);
  const Tensor one(int32_t{1}), all(int32_t{-1});
  std::vector<Input> sides = {one};
  Output size;
  for (int d = 1; d <= kSpatial; ++d) {
    const Output side = ElementAt(c, shape, d);
    size = d == 1 ? side : size * side;
    sides.emplace_back(side);
  }
  sides.emplace_back(one);
  const Output end = size + one;
  const Output numbers = c.Add("Range", {one, end, one});
  const Output image = Reshape(c, numbers, c.Add("Pack", sides));
  const Output positions =
      Reshape(c, c.Add(c.op().type(), {image}, attrs), std::vector<int64_t>{-1});
  const Output rows = Reshape(c, c.grad(), c.Add("Pack", {batch, all, depth}));
  const Tensor swap = Tensor::Vector<int32_t>({1, 0, 2});
  const Output by_position = c.Add("Transpose", {rows, swap});
  const Output sums = c.Add("UnsortedSegmentSum", {by_position, positions, end});
  return c.Return({Reshape(c, c.Add("Transpose", {SliceFrom(c, sums, 1), swap}), shape)});
}

RAMET_OP("ExtractImagePatches")
    .Input("images: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, "
        "uint64, complex64, complex128, bool}")
    .Attr("padding: {'SAME', 'VALID'}")
    .Doc(
        "Slides a window of size `ksizes`, whose elements are `rates` apart, over the images "
        "[batch, height, width, depth] in steps of `strides`. Returns the contents of each window "
        "as [batch, rows, columns, ksizes[1] * ksizes[2] * depth], with zeros outside the image. "
        "Error: the input is not of rank 4; an attr does not have four elements; its elements 0 "
        "and 3 are not 1 (kUnimplemented); an element is less than 1 or not less than 2^31 "
        "(kOutOfRange); the window is larger than the image.")
    .Shape(PatchesShape<2>)
    .Gradient(PatchesGradient<2>)
    .CpuKernelClasses<ImagePatchesKernel, RAMET_NUMBERS>();

RAMET_OP("ExtractVolumePatches")
    .Input("input: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 5")
    .Attr("strides: list(int) >= 5")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}")
    .Attr("padding: {'SAME', 'VALID'}")
    .Doc(
        "Slides a window of size `ksizes` over the volumes [batch, planes, height, width, depth] "
        "in steps of `strides`. Returns the contents of each window as [batch, planes, rows, "
        "columns, ksizes[1] * ksizes[2] * ksizes[3] * depth], with zeros outside the volume. "
        "Error: the input is not of rank 5; an attr does not have five elements; its elements 0 "
        "and 4 are not 1 (kUnimplemented); an element is less than 1 or not less than 2^31 "
        "(kOutOfRange); the window is larger than the volume.")
    .Shape(PatchesShape<3>)
    .Gradient(PatchesGradient<3>)
    .CpuKernelClasses<VolumePatchesKernel, RAMET_REALS>();

}  // namespace
}  // namespace ramet
