#include <algorithm>
#include <cstring>

#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// ExtractImagePatches.

namespace ramet {
namespace {

// One spatial dimension of the window.
struct Side {
  int64_t size = 1, stride = 1, rate = 1;
  int64_t reach() const { return (size - 1) * rate + 1; }
};

struct PatchAttrs {
  Side rows, columns;
  bool same = false;

  int64_t Count(const Side& side, int64_t in) const {
    if (same) return in / side.stride + (in % side.stride != 0);
    return in < side.reach() ? 0 : (in - side.reach()) / side.stride + 1;
  }
  // Returns the number of elements in a patch of an image with `channels` channels.
  // \error kInvalidArgument: the number overflows.
  StatusOr<int64_t> Depth(int64_t channels) const {
    int64_t depth;
    if (MultiplyNonNegative(rows.size, columns.size, &depth) &&
        MultiplyNonNegative(depth, channels, &depth)) {
      return depth;
    }
    return InvalidArgument("the patches are too large: the number of elements per patch overflows");
  }
  // Returns the number of padding elements before the first element.
  int64_t Before(const Side& side, int64_t in) const {
    if (!same) return 0;
    const int64_t needed = (Count(side, in) - 1) * side.stride + side.reach() - in;
    return std::max<int64_t>(needed, 0) / 2;
  }
};

// Reads elements 1 and 2 of an attr with four elements.
Status ReadSides(const AttrMap& attrs, const char* name, int64_t* row, int64_t* column) {
  RAMET_ASSIGN_OR_RETURN(auto values, attrs.Get<std::vector<int64_t>>(name));
  if (values.size() != 4) {
    return InvalidArgument(name, " must have 4 numbers, but has ", values.size());
  }
  if (values[0] != 1 || values[3] != 1) {
    return Unimplemented("Only support ", name, " across space.");
  }
  constexpr int64_t kMaxPatchElements = int64_t{1} << 31;
  if (values[1] < 1 || values[2] < 1 || values[1] >= kMaxPatchElements ||
      values[2] >= kMaxPatchElements) {
    return OutOfRange(name, " is out of range.");
  }
  *row = values[1];
  *column = values[2];
  return OkStatus();
}

StatusOr<PatchAttrs> ReadAttrs(const AttrMap& attrs) {
  PatchAttrs p;
  RAMET_RETURN_IF_ERROR(ReadSides(attrs, "ksizes", &p.rows.size, &p.columns.size));
  RAMET_RETURN_IF_ERROR(ReadSides(attrs, "strides", &p.rows.stride, &p.columns.stride));
  RAMET_RETURN_IF_ERROR(ReadSides(attrs, "rates", &p.rows.rate, &p.columns.rate));
  p.same = attrs.GetOr<std::string>("padding", "") == "SAME";
  return p;
}

// Copies the patch whose first element is at (top, left) of an image [height, width, depth].
template <class U>
U* CopyPatch(const PatchAttrs& p, const U* image, const Tensor& x, int64_t top, int64_t left,
             U* out) {
  const int64_t height = x.dim(1), width = x.dim(2), depth = x.dim(3);
  for (int64_t i = 0; i < p.rows.size; ++i) {
    const int64_t y = top + i * p.rows.rate;
    for (int64_t j = 0; j < p.columns.size; ++j, out += depth) {
      const int64_t at = left + j * p.columns.rate;
      if (y < 0 || y >= height || at < 0 || at >= width) {
        std::memset(static_cast<void*>(out), 0, depth * sizeof(U));
      } else {
        std::memcpy(static_cast<void*>(out), image + (y * width + at) * depth, depth * sizeof(U));
      }
    }
  }
  return out;
}

template <class U>
void CopyPatches(const PatchAttrs& p, const Tensor& x, Tensor& y) {
  const U* image = static_cast<const U*>(x.raw_data());
  U* out = static_cast<U*>(y.raw_data());
  const int64_t above = p.Before(p.rows, x.dim(1)), before = p.Before(p.columns, x.dim(2));
  for (int64_t n = 0; n < x.dim(0); ++n, image += Product(x.shape(), 1, 4)) {
    for (int64_t i = 0; i < y.dim(1); ++i) {
      for (int64_t j = 0; j < y.dim(2); ++j) {
        out = CopyPatch(p, image, x, i * p.rows.stride - above, j * p.columns.stride - before, out);
      }
    }
  }
}

class PatchesKernel final : public Kernel {
 public:
  explicit PatchesKernel(const PatchAttrs& attrs) : attrs_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(PatchAttrs attrs, ReadAttrs(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<PatchesKernel>(attrs));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (x.rank() != 4) return InvalidArgument("input must be 4-dimensional", x.shape());
    const int64_t dims[] = {x.dim(0), attrs_.Count(attrs_.rows, x.dim(1)),
                            attrs_.Count(attrs_.columns, x.dim(2)), x.dim(3)};
    RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    RAMET_ASSIGN_OR_RETURN(const int64_t depth, attrs_.Depth(x.dim(3)));
    shape.set_dim(3, depth);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
    if (y->num_elements() == 0) return OkStatus();
    switch (DTypeSize(x.dtype())) {
      case 1: CopyPatches<uint8_t>(attrs_, x, *y); break;
      case 2: CopyPatches<uint16_t>(attrs_, x, *y); break;
      case 4: CopyPatches<uint32_t>(attrs_, x, *y); break;
      case 8: CopyPatches<uint64_t>(attrs_, x, *y); break;
      default: CopyPatches<Wide>(attrs_, x, *y);
    }
    return OkStatus();
  }

 private:
  const PatchAttrs attrs_;
};

template <class T>
using PatchesKernelOf = PatchesKernel;

Status PatchesShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(PatchAttrs p, ReadAttrs(c.attrs()));
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRank(0, 4));
  const auto count = [&](const Side& side, int64_t in) {
    return in < 0 ? Shape::kUnknownDim : p.Count(side, in);
  };
  int64_t depth = Shape::kUnknownDim;
  if (x.dim(3) >= 0) {
    RAMET_ASSIGN_OR_RETURN(depth, p.Depth(x.dim(3)));
  }
  c.set_output(0, Shape{x.dim(0), count(p.rows, x.dim(1)), count(p.columns, x.dim(2)), depth});
  return OkStatus();
}

// Sums the gradients of patches at the image positions that they come from. These positions are the
// patches of an image of position numbers, in which 0 stands for padding.
Status PatchesGradient(GradientContext& c) {
  AttrMap attrs;
  for (const char* name : {"ksizes", "strides", "rates"}) {
    RAMET_ASSIGN_OR_RETURN(auto values, c.attr<std::vector<int64_t>>(name));
    attrs.Set(name, std::move(values));
  }
  RAMET_ASSIGN_OR_RETURN(std::string padding, c.attr<std::string>("padding"));
  attrs.Set("padding", std::move(padding));
  const Output shape = ShapeOf(c, c.input(0));
  const Output batch = ElementAt(c, shape, 0), depth = ElementAt(c, shape, 3);
  const Output size = ElementAt(c, shape, 1) * ElementAt(c, shape, 2);
  const Tensor one(int32_t{1}), all(int32_t{-1});
  const Output end = size + one;
  const Output numbers = c.Add("Range", {one, end, one});
  const Output image_shape =
      c.Add("Pack", {one, ElementAt(c, shape, 1), ElementAt(c, shape, 2), one});
  const Output positions =
      Reshape(c, c.Add("ExtractImagePatches", {Reshape(c, numbers, image_shape)}, attrs),
              std::vector<int64_t>{-1});
  const Output rows = Reshape(c, c.grad(), c.Add("Pack", {batch, all, depth}));
  const Tensor swap = Tensor::Vector<int32_t>({1, 0, 2});
  const Output by_position = c.Add("Transpose", {rows, swap});
  const Output sums = c.Add("UnsortedSegmentSum", {by_position, positions, end});
  const Output image = c.Add("Transpose", {SliceFrom(c, sums, 1), swap});
  return c.Return({Reshape(c, image, shape)});
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
        "(kOutOfRange).")
    .Shape(PatchesShape)
    .Gradient(PatchesGradient)
    .CpuKernelClasses<PatchesKernelOf, RAMET_NUMBERS>();

}  // namespace
}  // namespace ramet
