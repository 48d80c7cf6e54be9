#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"

// Drawing the outlines of boxes.

namespace ramet {
namespace {

constexpr int kMaxDepth = 4;

// The colors of boxes if the caller gives none, in turn: yellow, blue, red, lime, purple, olive,
// maroon, navy, aqua and fuchsia.
constexpr float kBoxColors[][kMaxDepth] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
    {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};

// A table of colors of `depth` channels.
class BoxPalette {
 public:
  explicit BoxPalette(int64_t depth) {
    for (const auto& color : kBoxColors) colors_.emplace_back(color, color + depth);
    if (depth == 1) {
      for (auto& color : colors_) color[0] = 1;
    }
  }
  // Takes the rows of `colors`, a matrix, unless it has none.
  BoxPalette(const Tensor& colors, int64_t depth) : BoxPalette(depth) {
    if (colors.dim(0) == 0) return;
    colors_.clear();
    for (int64_t i = 0; i < colors.dim(0); ++i) {
      const float* row = colors.data<float>() + i * colors.dim(1);
      colors_.emplace_back(row, row + depth);
    }
  }
  const std::vector<float>& operator[](int64_t i) const { return colors_[i % colors_.size()]; }

 private:
  std::vector<std::vector<float>> colors_;
};

// The pixels of one image [height, width, depth].
template <class T>
struct Canvas {
  T* pixels;
  int64_t height, width, depth;

  void Set(int64_t y, int64_t x, const std::vector<float>& color) const {
    T* pixel = pixels + (y * width + x) * depth;
    for (int64_t k = 0; k < depth; ++k) pixel[k] = static_cast<T>(color[k]);
  }
};

// Returns the pixel at a fraction of an axis.
int64_t PixelAt(float fraction, int64_t size) {
  const float at = fraction * static_cast<float>(size - 1);
  constexpr float kLimit = 1e18f;
  if (!(at > -kLimit)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(std::min(at, kLimit));
}

// The first and last pixel of a box along one axis, and the part of them inside the image.
struct BoxExtent {
  BoxExtent(float begin, float end, int64_t size)
      : first(PixelAt(begin, size)),
        last(PixelAt(end, size)),
        inside_first(std::max<int64_t>(first, 0)),
        inside_last(std::min(last, size - 1)),
        drawn(first <= last && first < size && last >= 0) {}
  int64_t first, last, inside_first, inside_last;
  bool drawn;
};

// Draws the sides of the box that are inside the image. A box that is inverted or outside the image
// is not drawn.
template <class T>
void DrawBox(const Canvas<T>& canvas, const float* box, const std::vector<float>& color) {
  const BoxExtent y(box[0], box[2], canvas.height), x(box[1], box[3], canvas.width);
  if (!y.drawn || !x.drawn) return;
  for (const int64_t row : {y.first, y.last}) {
    if (row < 0 || row >= canvas.height) continue;
    for (int64_t j = x.inside_first; j <= x.inside_last; ++j) canvas.Set(row, j, color);
  }
  for (const int64_t column : {x.first, x.last}) {
    if (column < 0 || column >= canvas.width) continue;
    for (int64_t i = y.inside_first; i <= y.inside_last; ++i) canvas.Set(i, column, color);
  }
}

Status CheckDrawing(const KernelContext& c) {
  const Tensor &images = c.input(0), &boxes = c.input(1);
  if (images.rank() != 4) return InvalidArgument("The rank of the images should be 4");
  if (boxes.rank() != 3) return InvalidArgument("The rank of the boxes tensor should be 3");
  if (images.dim(0) != boxes.dim(0)) return InvalidArgument("The batch sizes should be the same");
  const int64_t depth = images.dim(3);
  if (depth != 1 && depth != 3 && depth != 4) {
    return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  if (boxes.dim(2) != 4) {
    return InvalidArgument("The size of the third dimension of the box must be 4. Received: ",
                           boxes.dim(2));
  }
  if (c.num_inputs() < 3) return OkStatus();
  const Tensor& colors = c.input(2);
  if (colors.rank() != 2) return InvalidArgument("colors must be a 2-D matrix", colors.shape());
  if (colors.dim(1) >= depth) return OkStatus();
  return InvalidArgument("colors must have equal or more channels than the image provided: ",
                         colors.shape());
}

template <class T>
Status DrawBoxes(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckDrawing(c));
  const Tensor &images = c.input(0), &boxes = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, images.dtype(), images.shape()));
  if (y->num_elements() == 0) return OkStatus();
  if (y->raw_data() != images.raw_data()) {
    std::memcpy(y->raw_data(), images.raw_data(), images.bytes());
  }
  const int64_t depth = images.dim(3), count = boxes.dim(1);
  const BoxPalette palette = c.num_inputs() < 3 ? BoxPalette(depth) : BoxPalette(c.input(2), depth);
  for (int64_t n = 0; n < images.dim(0); ++n) {
    const Canvas<T> canvas{y->mutable_data<T>() + n * Product(images.shape(), 1, 4), images.dim(1),
                           images.dim(2), depth};
    for (int64_t i = 0; i < count; ++i) {
      DrawBox(canvas, boxes.data<float>() + 4 * (n * count + i), palette[i]);
    }
  }
  return OkStatus();
}

Status DrawShape(ShapeContext& c) {
  if (!c.input(0).unknown_rank()) {
    RAMET_RETURN_IF_ERROR(c.WithRank(0, 4).status());
  }
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 3).status());
  return UnchangedShape(c);
}

RAMET_OP("DrawBoundingBoxes")
    .Input("images: T")
    .Input("boxes: float")
    .Output("output: T")
    .Attr("T: {float, half} = float")
    .Doc(
        "Returns images [batch, height, width, channels] with the outlines of `boxes` [batch, "
        "count, 4]: y1, x1, y2, x2 as fractions of the height and width. Ten colors take turns. "
        "Inverted boxes and boxes outside the image are not drawn. Error: a shape does not match "
        "this; the number of channels is not 1, 3 or 4.")
    .Shape(DrawShape)
    .NotDifferentiable()
    .CpuKernels<Half, float>([]<class T>(KernelContext& c) { return DrawBoxes<T>(c); });

RAMET_OP("DrawBoundingBoxesV2")
    .Input("images: T")
    .Input("boxes: float")
    .Input("colors: float")
    .Output("output: T")
    .Attr("T: {float, half} = float")
    .Doc(
        "Returns images [batch, height, width, channels] with the outlines of `boxes` [batch, "
        "count, 4]: y1, x1, y2, x2 as fractions of the height and width. The rows of `colors` take "
        "turns, or those of DrawBoundingBoxes if it has none. Inverted boxes and boxes outside the "
        "image are not drawn. Error: a shape does not match this; the number of channels is "
        "not 1, 3 or 4; colors have fewer channels.")
    .Shape(DrawShape)
    .CpuKernels<Half, float>([]<class T>(KernelContext& c) { return DrawBoxes<T>(c); });

}  // namespace
}  // namespace ramet
