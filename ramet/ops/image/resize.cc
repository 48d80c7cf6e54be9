#include "ramet/ops/image/resize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/gradients/gradient_context.h"

namespace ramet {
namespace {

constexpr int64_t kMaxSide = std::numeric_limits<int32_t>::max();

// \error kInvalidArgument: positions in the image would not fit into int32.
Status CheckPositions(const ResizeAxis& axis, std::string_view name) {
  const float last = std::ceil(static_cast<float>(axis.out - 1) * axis.scale);
  if (last <= static_cast<float>(kMaxSide)) return OkStatus();
  return InvalidArgument("input image ", name, " scale would cause an overflow");
}

}  // namespace

float ResizeMode::Scale(int64_t in, int64_t out) const {
  if (align_corners && in > 1 && out > 1) {
    return static_cast<float>(in - 1) / static_cast<float>(out - 1);
  }
  return static_cast<float>(in) / static_cast<float>(out);
}

Status ResizeMode::Check() const {
  if (!half_pixel_centers || !align_corners) return OkStatus();
  return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
}

StatusOr<std::pair<int64_t, int64_t>> HeightAndWidth(const Tensor& t, std::string_view name) {
  if (t.rank() != 1) return InvalidArgument(name, " must be 1-dimensional", t.shape());
  if (t.dim(0) != 2) return InvalidArgument(name, " must have two elements", t.shape());
  return std::pair<int64_t, int64_t>(t.data<int32_t>()[0], t.data<int32_t>()[1]);
}

StatusOr<ResizeGeometry> ResizeOf(const ResizeMode& mode, const Tensor& images,
                                  const Tensor& size) {
  RAMET_RETURN_IF_ERROR(mode.Check());
  if (images.rank() != 4) return InvalidArgument("input must be 4-dimensional", images.shape());
  if (images.dim(3) < 1) return InvalidArgument("image must have at least one channel");
  const int64_t height = images.dim(1), width = images.dim(2);
  if (height < 1 || width < 1) return InvalidArgument("input image must be of non-zero size");
  if (height >= kMaxSide || width >= kMaxSide) {
    return InvalidArgument("input sizes must be between 0 and max int32");
  }
  RAMET_ASSIGN_OR_RETURN(const auto out, HeightAndWidth(size, "shape_t"));
  if (out.first < 1 || out.second < 1) {
    return InvalidArgument("output dimensions must be positive");
  }
  ResizeGeometry g;
  g.batch = images.dim(0);
  g.channels = images.dim(3);
  g.rows = {height, out.first, mode.Scale(height, out.first)};
  g.columns = {width, out.second, mode.Scale(width, out.second)};
  RAMET_RETURN_IF_ERROR(CheckPositions(g.rows, "height"));
  RAMET_RETURN_IF_ERROR(CheckPositions(g.columns, "width"));
  return g;
}

StatusOr<ResizeGeometry> ResizeGradOf(const ResizeMode& mode, const Tensor& grads,
                                      const Tensor& original) {
  RAMET_RETURN_IF_ERROR(mode.Check());
  if (grads.rank() != 4) return InvalidArgument("input_grad must be 4-dimensional", grads.shape());
  if (grads.dim(1) < 1 || grads.dim(2) < 1) {
    return InvalidArgument("resized dimensions must be positive");
  }
  if (original.rank() != 4) {
    return InvalidArgument("original_image must be 4-dimensional", original.shape());
  }
  const int64_t height = original.dim(1), width = original.dim(2);
  if (height < 1 || width < 1) return InvalidArgument("original dimensions must be positive");
  if (std::max({height, width, grads.dim(1), grads.dim(2)}) >= kMaxSide) {
    return InvalidArgument("original sizes must be between 0 and max int32");
  }
  ResizeGeometry g;
  g.batch = grads.dim(0);
  g.channels = grads.dim(3);
  g.rows = {height, grads.dim(1), mode.Scale(height, grads.dim(1))};
  g.columns = {width, grads.dim(2), mode.Scale(width, grads.dim(2))};
  RAMET_RETURN_IF_ERROR(CheckPositions(g.rows, "height"));
  RAMET_RETURN_IF_ERROR(CheckPositions(g.columns, "width"));
  return g;
}

StatusOr<Tensor*> AllocateResized(KernelContext& c, DType dtype, const ResizeGeometry& g) {
  return c.Allocate(0, dtype, Shape{g.batch, g.rows.out, g.columns.out, g.channels});
}

StatusOr<Tensor*> AllocateOriginal(KernelContext& c, DType dtype, const ResizeGeometry& g) {
  return c.Allocate(0, dtype, Shape{g.batch, g.rows.in, g.columns.in, g.channels});
}

Status ResizeShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape image, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const Shape size, c.WithRank(1, 1));
  if (size.dim(0) != Shape::kUnknownDim && size.dim(0) != 2) {
    return InvalidArgument("Dimension must be 2 but is ", size.dim(0));
  }
  Shape out{image.dim(0), Shape::kUnknownDim, Shape::kUnknownDim, image.dim(3)};
  if (const Tensor* sides = c.constant(1)) {
    RAMET_ASSIGN_OR_RETURN(const auto values, IntegerValues(*sides));
    for (int i : {0, 1}) {
      if (values[i] < -1) return InvalidArgument("Dimension ", values[i], " must be >= 0");
      out.set_dim(i + 1, values[i]);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ResizeGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape grads, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const Shape original, c.WithRank(1, 4));
  const auto known = [&](int d) { return original.dim(d) >= 0 ? original.dim(d) : grads.dim(d); };
  c.set_output(0, Shape{known(0), original.dim(1), original.dim(2), known(3)});
  return OkStatus();
}

AttrMap AttrsNamed(const GradientContext& c, std::initializer_list<const char*> names) {
  AttrMap attrs;
  const auto own = c.op().attrs();
  for (const char* name : names) {
    if (const Attr* value = own->Find(name)) attrs.Set(name, *value);
  }
  return attrs;
}

}  // namespace ramet
