#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/nn/window.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/range.h"

// Pooling of quantized images, whose range the result keeps.

namespace ramet {
namespace {

// The window of one pixel of the output, inside of the image.
struct PoolWindow {
  int64_t top, bottom, left, right;
};

template <class Rep>
struct MaxOfWindow {
  static constexpr bool kAcrossDepth = true;  // a window may have several channels
  int32_t value = std::numeric_limits<Rep>::min();
  void Take(int32_t step) { value = std::max(value, step); }
  Rep Result(int64_t) const { return static_cast<Rep>(value); }
};

template <class Rep>
struct MeanOfWindow {
  static constexpr bool kAcrossDepth = false;
  int64_t sum = 0;
  void Take(int32_t step) { sum += step; }
  Rep Result(int64_t pixels) const { return static_cast<Rep>(pixels == 0 ? 0 : sum / pixels); }
};

// \error kUnimplemented: TensorFlow does not pool channels with such a window.
Status CheckDepthWindow(const WindowAttrs& w, bool across_depth) {
  if (w.channel_size == 1 && w.channel_stride != 1) {
    return Unimplemented(
        "Pooling is not yet supported with a stride of the depth dimension, but got ",
        w.channel_stride);
  }
  if (w.channel_size == 1) return OkStatus();
  if (!across_depth) return Unimplemented("Pooling is not yet supported on the depth dimension.");
  for (int d = 0; d < 2; ++d) {
    if (w.size[d] == 1 && w.stride[d] == 1) continue;
    return Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  }
  if (w.channel_size == w.channel_stride) return OkStatus();
  return Unimplemented("Depthwise max pooling requires the depth window to equal the depth stride");
}

template <class Rep, template <class> class Of>
class QuantizedPool final : public Kernel {
 public:
  explicit QuantizedPool(const WindowAttrs& window) : window_(window) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const WindowAttrs window, ParseWindow(*node.attrs, 2, "Pooling"));
    if (window.batch_size != 1 || window.batch_stride != 1) {
      return Unimplemented("Pooling is not yet supported on the batch dimension.");
    }
    RAMET_RETURN_IF_ERROR(CheckDepthWindow(window, Of<Rep>::kAcrossDepth));
    return std::unique_ptr<Kernel>(std::make_unique<QuantizedPool>(window));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const QuantizedRange range,
                           ReadRange(c, 1, "min_input", "max_input", BoundError::kShapeRank));
    if (x.rank() != 4) {
      return InvalidArgument("tensor_in_shape must have 2 spatial dimensions. ", x.rank(), " ",
                             x.num_elements());
    }
    RAMET_ASSIGN_OR_RETURN(const WindowPositions down,
                           PositionWindow(window_, 0, x.dim(1), window_.size[0]));
    RAMET_ASSIGN_OR_RETURN(const WindowPositions across,
                           PositionWindow(window_, 1, x.dim(2), window_.size[1]));
    const int64_t channels = window_.channel_size;
    if (x.dim(3) % channels != 0) {
      return Unimplemented(
          "Depthwise max pooling requires the depth window to evenly divide the input depth");
    }
    const Shape shape{x.dim(0), down.count, across.count, x.dim(3) / channels};
    RAMET_RETURN_IF_ERROR(shape.Validate());
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
    if (channels > 1) {
      RunAcrossDepth(x, *y);
    } else if (y->num_elements() > 0) {
      Run(x, down, across, *y);
    }
    return WriteRange(c, 1, range);
  }

 private:
  // Returns the first and last position + 1 of a window, inside of [0, size).
  std::pair<int64_t, int64_t> Limits(int d, int64_t at, int64_t before, int64_t size) const {
    const int64_t start = at * window_.stride[d] - before;
    return {std::max<int64_t>(start, 0), std::min(start + window_.size[d], size)};
  }

  void RunAcrossDepth(const Tensor& x, Tensor& y) const {
    const auto* in = static_cast<const Rep*>(x.raw_data());
    auto* out = static_cast<Rep*>(y.raw_data());
    for (int64_t i = 0; i < y.num_elements(); ++i) {
      Of<Rep> pooled;
      for (int64_t k = 0; k < window_.channel_size; ++k) pooled.Take(*in++);
      out[i] = pooled.Result(window_.channel_size);
    }
  }

  void Run(const Tensor& x, const WindowPositions& down, const WindowPositions& across,
           Tensor& y) const {
    auto* out = static_cast<Rep*>(y.raw_data());
    const int64_t image = x.dim(1) * x.dim(2) * x.dim(3);
    for (int64_t b = 0; b < x.dim(0); ++b) {
      const auto* in = static_cast<const Rep*>(x.raw_data()) + b * image;
      for (int64_t i = 0; i < down.count; ++i) {
        const auto [top, bottom] = Limits(0, i, down.before, x.dim(1));
        for (int64_t j = 0; j < across.count; ++j, out += x.dim(3)) {
          const auto [left, right] = Limits(1, j, across.before, x.dim(2));
          Pixel(in, x.shape(), {top, bottom, left, right}, out);
        }
      }
    }
  }

  static void Pixel(const Rep* in, const Shape& shape, const PoolWindow& w, Rep* out) {
    const int64_t columns = shape.dim(2), depth = shape.dim(3);
    const int64_t pixels =
        std::max<int64_t>(w.bottom - w.top, 0) * std::max<int64_t>(w.right - w.left, 0);
    for (int64_t d = 0; d < depth; ++d) {
      Of<Rep> pooled;
      for (int64_t r = w.top; r < w.bottom; ++r) {
        for (int64_t s = w.left; s < w.right; ++s) pooled.Take(in[(r * columns + s) * depth + d]);
      }
      out[d] = pooled.Result(pixels);
    }
  }

  const WindowAttrs window_;
};

template <class Q>
using MaxPoolOf = QuantizedPool<decltype(Q::value), MaxOfWindow>;
template <class Q>
using MeanPoolOf = QuantizedPool<decltype(Q::value), MeanOfWindow>;

template <bool kAcrossDepth>
Status QuantizedPoolShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const WindowAttrs window, ParseWindow(c.attrs(), 2, "Pooling"));
  RAMET_ASSIGN_OR_RETURN(const Shape image, c.WithRank(0, 4));
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 1));
  Shape shape = image;
  for (int d = 0; d < 2; ++d) {
    RAMET_ASSIGN_OR_RETURN(const int64_t count,
                           InferPositions(window, d, image.dim(1 + d), window.size[d]));
    shape.set_dim(1 + d, count);
  }
  const int64_t channels = window.channel_size;
  if (kAcrossDepth && image.dim(3) >= channels) shape.set_dim(3, image.dim(3) / channels);
  return SetQuantizedShape(c, shape);
}

#define RAMET_QUANTIZED_POOL(name, kernel, across_depth, depth_error, doc)                         \
  RAMET_OP(name)                                                                                   \
      .Input("input: T")                                                                           \
      .Input("min_input: float")                                                                   \
      .Input("max_input: float")                                                                   \
      .Output("output: T")                                                                         \
      .Output("min_output: float")                                                                 \
      .Output("max_output: float")                                                                 \
      .Attr("T: {qint8, quint8, qint32, qint16, quint16}")                                         \
      .Attr("ksize: list(int)")                                                                    \
      .Attr("strides: list(int)")                                                                  \
      .Attr("padding: {'SAME', 'VALID'}")                                                          \
      .Doc(doc                                                                                     \
           " of each window of images [batch, rows, columns, depth] of quantized numbers, whose "  \
           "range the result keeps. Error: `input` does not have four dimensions; a bound of the " \
           "range is not a scalar; the window does not fit; the window or the strides of the "     \
           "batch are not 1 (kUnimplemented); " depth_error " (kUnimplemented).")                  \
      .Shape(QuantizedPoolShape<across_depth>)                                                     \
      .CpuKernelClasses<kernel, QUInt8, QInt8>()

RAMET_QUANTIZED_POOL("QuantizedMaxPool", MaxPoolOf, true,
                     "the window or the stride of the depth is not 1, except for windows of one "
                     "pixel with an equal stride of the depth that divides the depth",
                     "Returns the maximum");
RAMET_QUANTIZED_POOL("QuantizedAvgPool", MeanPoolOf, false,
                     "the window or the stride of the depth is not 1",
                     "Returns the mean, without its fraction,");

}  // namespace
}  // namespace ramet
