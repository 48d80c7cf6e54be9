#include <algorithm>

#include "ramet/linalg/parallel.h"
#include "ramet/op/op.h"
#include "ramet/ops/nn/window.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/range.h"

// Convolutions of quantized images.

namespace ramet {
namespace {

// The sizes of a convolution with channels last.
struct ConvSizes {
  int64_t batch, rows, columns, depth;
  int64_t filter_rows, filter_columns, channels;
  WindowPositions down, across;
  int64_t stride;

  Shape OutputShape() const { return {batch, down.count, across.count, channels}; }
};

// A CenteredConv computes sums of products of integers minus their zeros, with overflow.
template <class Filter>
struct CenteredConv {
  ConvSizes sizes;
  const uint8_t* image;
  const Filter* filter;
  uint32_t image_zero, filter_zero;
  // The value that stands for a pixel outside of the image, after subtraction of the zero.
  uint32_t outside;

  // Computes the channels of one pixel of the output.
  void Pixel(int64_t batch, int64_t row, int64_t column, uint32_t* out) const {
    std::fill_n(out, sizes.channels, 0);
    const Filter* weights = filter;
    for (int64_t r = 0; r < sizes.filter_rows; ++r) {
      const int64_t y = row * sizes.stride - sizes.down.before + r;
      for (int64_t s = 0; s < sizes.filter_columns; ++s) {
        const int64_t x = column * sizes.stride - sizes.across.before + s;
        const bool inside = y >= 0 && y < sizes.rows && x >= 0 && x < sizes.columns;
        const uint8_t* pixel =
            image + (inside ? ((batch * sizes.rows + y) * sizes.columns + x) * sizes.depth : 0);
        for (int64_t d = 0; d < sizes.depth; ++d, weights += sizes.channels) {
          const uint32_t factor = inside ? pixel[d] - image_zero : outside;
          for (int64_t i = 0; i < sizes.channels; ++i) {
            out[i] += factor * (static_cast<uint32_t>(int32_t{weights[i]}) - filter_zero);
          }
        }
      }
    }
  }

  void Run(int32_t* y) const {
    constexpr int64_t kGrainProducts = 1 << 15;
    const int64_t products =
        sizes.filter_rows * sizes.filter_columns * sizes.depth * sizes.channels;
    const int64_t row_pixels = sizes.across.count, image_pixels = sizes.down.count * row_pixels;
    linalg::ParallelFor(sizes.batch * image_pixels,
                        std::max<int64_t>(kGrainProducts / std::max<int64_t>(products, 1), 1),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            Pixel(i / image_pixels, i % image_pixels / row_pixels, i % row_pixels,
                                  reinterpret_cast<uint32_t*>(y) + i * sizes.channels);
                          }
                        });
  }
};

Status CheckConvWindow(const WindowAttrs& window) {
  if (window.stride[0] != window.stride[1]) {
    return InvalidArgument(
        "Current implementation only supports equal length strides in the row and column "
        "dimensions.");
  }
  if (window.batch_stride != 1 || window.channel_stride != 1) {
    return InvalidArgument(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (window.dilation[0] != 1 || window.dilation[1] != 1) {
    return InvalidArgument(
        "Current implementation only supports dilated rate as 1 in the row and column dimensions.");
  }
  if (window.batch_dilation != 1 || window.channel_dilation != 1) {
    return InvalidArgument(
        "Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  return OkStatus();
}

template <class Filter>
class QuantizedConv2D final : public Kernel {
 public:
  explicit QuantizedConv2D(const WindowAttrs& window) : window_(window) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const ConvSizes sizes, SizesOf(c.input(0).shape(), c.input(1).shape()));
    RAMET_ASSIGN_OR_RETURN(const QuantizedRange image,
                           ReadRange(c, 2, "min_input", "max_input", BoundError::kRank));
    RAMET_ASSIGN_OR_RETURN(const QuantizedRange filter,
                           ReadRange(c, 4, "min_filter", "max_filter", BoundError::kRank));
    RAMET_RETURN_IF_ERROR(sizes.OutputShape().Validate());
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kQInt32, sizes.OutputShape()));
    const auto image_zero = static_cast<uint32_t>(UnclampedStepOf<uint8_t>(0, image));
    const auto filter_zero = static_cast<uint32_t>(UnclampedStepOf<Filter>(0, filter));
    // TensorFlow pads with the low byte of the integer for 0.
    const uint32_t outside =
        static_cast<int32_t>(image_zero) < 0 ? 0 : static_cast<uint8_t>(image_zero) - image_zero;
    CenteredConv<Filter>{sizes,
                         static_cast<const uint8_t*>(c.input(0).raw_data()),
                         static_cast<const Filter*>(c.input(1).raw_data()),
                         image_zero,
                         filter_zero,
                         outside}
        .Run(static_cast<int32_t*>(y->raw_data()));
    return WriteRange(c, 1, ProductRange<uint8_t, Filter, int32_t>(image, filter));
  }

 private:
  StatusOr<ConvSizes> SizesOf(const Shape& image, const Shape& filter) const {
    if (image.rank() != 4) {
      return InvalidArgument("input must be rank 4 but is rank ", image.rank());
    }
    if (filter.rank() != 4) {
      return InvalidArgument("filter must be rank 4 but is rank ", filter.rank());
    }
    if (image.dim(3) != filter.dim(2)) {
      return InvalidArgument("input and filter must have the same depth: ", image.dim(3), " vs ",
                             filter.dim(2));
    }
    ConvSizes sizes{image.dim(0),  image.dim(1),  image.dim(2), image.dim(3), filter.dim(0),
                    filter.dim(1), filter.dim(3), {},           {},           window_.stride[0]};
    RAMET_ASSIGN_OR_RETURN(sizes.down, PositionWindow(window_, 0, sizes.rows, sizes.filter_rows));
    RAMET_ASSIGN_OR_RETURN(sizes.across,
                           PositionWindow(window_, 1, sizes.columns, sizes.filter_columns));
    if (image.num_elements() == 0 || filter.num_elements() == 0 || sizes.down.count == 0 ||
        sizes.across.count == 0) {
      return InvalidArgument("Invalid input: Shapes dimension cannot be 0.");
    }
    return sizes;
  }

  const WindowAttrs window_;
};

template <class Q>
class ConvOf {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType types[] = {DType::kQUInt8, DTypeOf<Q>::value};
    RAMET_RETURN_IF_ERROR(TypedKernel::For(node, types, DType::kQInt32, nullptr).status());
    RAMET_ASSIGN_OR_RETURN(const WindowAttrs window, ParseWindow(*node.attrs, 2, "Conv2D"));
    RAMET_RETURN_IF_ERROR(CheckConvWindow(window));
    return std::unique_ptr<Kernel>(std::make_unique<QuantizedConv2D<decltype(Q::value)>>(window));
  }
};

Status QuantizedConvShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const WindowAttrs window, ParseWindow(c.attrs(), 2, "Conv2D"));
  RAMET_ASSIGN_OR_RETURN(const Shape image, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const Shape filter, c.WithRank(1, 4));
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 2));
  Shape shape{image.dim(0), -1, -1, filter.dim(3)};
  for (int d = 0; d < 2; ++d) {
    RAMET_ASSIGN_OR_RETURN(const int64_t count,
                           InferPositions(window, d, image.dim(1 + d), filter.dim(d)));
    shape.set_dim(1 + d, count);
  }
  return SetQuantizedShape(c, shape);
}

RAMET_OP("QuantizedConv2D")
    .Input("input: Tinput")
    .Input("filter: Tfilter")
    .Input("min_input: float")
    .Input("max_input: float")
    .Input("min_filter: float")
    .Input("max_filter: float")
    .Output("output: out_type")
    .Output("min_output: float")
    .Output("max_output: float")
    .Attr("Tinput: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("Tfilter: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("out_type: {qint8, quint8, qint32, qint16, quint16} = DT_QINT32")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Doc(
        "Returns the convolution of images [batch, rows, columns, depth] with a filter [rows, "
        "columns, depth, channels], both quantized numbers in the given ranges, in 32 bits. Error: "
        "an operand does not have four dimensions; the depths differ; an operand or the result has "
        "no elements; a bound of a range is not a scalar; the strides of rows and columns differ, "
        "those of other dimensions or a dilation are not 1; the types are not quint8 and "
        "qint32 (kUnimplemented).")
    .Shape(QuantizedConvShape)
    .CpuKernelClasses<ConvOf, QUInt8>("Tfilter");

}  // namespace
}  // namespace ramet
