#include <algorithm>
#include <limits>

#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/nn/window.h"

// Grayscale dilation: the largest sum of pixel and filter under a filter that moves over an image.

namespace ramet {
namespace {

// The sizes that Dilation2D and its gradients use, for images [batch, height, width, depth].
struct Dilation {
  int64_t batch, depth;
  int64_t in[2], filter[2], out[2];
  int64_t stride[2], rate[2], before[2];

  Shape output_shape() const { return {batch, out[0], out[1], depth}; }
};

StatusOr<WindowAttrs> ParseAttrs(const AttrMap& attrs) {
  WindowAttrs window;
  const auto padding = attrs.GetOr<std::string>("padding", "VALID");
  window.padding = padding == "SAME" ? WindowAttrs::Padding::kSame : WindowAttrs::Padding::kValid;
  for (const char* name : {"strides", "rates"}) {
    const bool strides = name[0] == 's';
    const auto values = attrs.GetOr<std::vector<int64_t>>(name, {});
    if (values.size() != 4) {
      return InvalidArgument("Dilation2D requires the ", strides ? "stride" : "rates",
                             " attribute to contain 4 values, but got: ", values.size());
    }
    if (values[0] != 1 || values[3] != 1) {
      return Unimplemented(strides ? "Stride" : "Rate",
                           " is only supported across spatial dimensions.");
    }
    for (int d = 0; d < 2; ++d) {
      if (values[d + 1] < 1) {
        return InvalidArgument(strides ? "Stride" : "Rate", " must be > 0, but got ",
                               values[d + 1]);
      }
      (strides ? window.stride : window.dilation)[d] = values[d + 1];
    }
  }
  return window;
}

StatusOr<Dilation> Prepare(const WindowAttrs& window, const Shape& input, const Shape& filter) {
  if (input.rank() != 4) return InvalidArgument("input must be 4-dimensional", input);
  if (filter.rank() != 3) return InvalidArgument("filter must be 3-dimensional: ", filter);
  if (input.dim(3) != filter.dim(2)) {
    return InvalidArgument("input and filter must have the same depth: ", input.dim(3), " vs ",
                           filter.dim(2));
  }
  Dilation d = {};
  d.batch = input.dim(0);
  d.depth = input.dim(3);
  for (int i = 0; i < 2; ++i) {
    d.in[i] = input.dim(i + 1);
    d.filter[i] = filter.dim(i);
    d.stride[i] = window.stride[i];
    d.rate[i] = window.dilation[i];
    RAMET_ASSIGN_OR_RETURN(WindowPositions at, PositionWindow(window, i, d.in[i], d.filter[i]));
    d.out[i] = at.count;
    d.before[i] = at.before;
  }
  return d;
}

template <class T>
T Plus(T a, T b) {
  return WrappingAdd(a, b);
}

template <class T>
bool Above(T a, T b) {
  if constexpr (std::is_arithmetic_v<T>) {
    return a > b;
  } else {
    return static_cast<float>(a) > static_cast<float>(b);
  }
}

template <class T>
T Lowest() {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::numeric_limits<T>::lowest();
  } else {
    return T(std::is_same_v<T, Half> ? -65504.0f : -3.3895314e38f);
  }
}

// The largest sum under the filter, and its offsets in the input and in the filter.
template <class T>
struct Best {
  T value = Lowest<T>();
  int64_t input, filter;
};

// Calls visit(offset in the output, best) for each element of the output.
template <class T, class Visit>
void ForEachWindow(const Dilation& d, const T* input, const T* filter, Visit visit) {
  int64_t at = 0;
  for (int64_t b = 0; b < d.batch; ++b) {
    for (int64_t y = 0; y < d.out[0]; ++y) {
      for (int64_t x = 0; x < d.out[1]; ++x) {
        const int64_t top = y * d.stride[0] - d.before[0], left = x * d.stride[1] - d.before[1];
        for (int64_t c = 0; c < d.depth; ++c, ++at) {
          const auto pixel = [&](int64_t row, int64_t column) {
            return ((b * d.in[0] + row) * d.in[1] + column) * d.depth + c;
          };
          Best<T> best;
          best.input = pixel(std::max<int64_t>(top, 0), std::max<int64_t>(left, 0));
          best.filter = c;
          for (int64_t h = 0; h < d.filter[0]; ++h) {
            const int64_t row = top + h * d.rate[0];
            if (row < 0 || row >= d.in[0]) continue;
            for (int64_t w = 0; w < d.filter[1]; ++w) {
              const int64_t column = left + w * d.rate[1];
              if (column < 0 || column >= d.in[1]) continue;
              const int64_t in_filter = (h * d.filter[1] + w) * d.depth + c;
              const T value = Plus(input[pixel(row, column)], filter[in_filter]);
              if (Above(value, best.value)) best = {value, pixel(row, column), in_filter};
            }
          }
          visit(at, best);
        }
      }
    }
  }
}

enum class DilationPart { kOutput, kInput, kFilter };

template <class T, DilationPart part>
class DilationKernel final : public Kernel {
 public:
  explicit DilationKernel(WindowAttrs window) : window_(window) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(WindowAttrs window, ParseAttrs(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<DilationKernel>(window));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &input = c.input(0), &filter = c.input(1);
    RAMET_ASSIGN_OR_RETURN(const Dilation d, Prepare(window_, input.shape(), filter.shape()));
    const Shape shape = part == DilationPart::kOutput  ? d.output_shape()
                        : part == DilationPart::kInput ? input.shape()
                                                       : filter.shape();
    const T* grad = nullptr;
    if constexpr (part != DilationPart::kOutput) {
      if (c.input(2).shape() != d.output_shape()) {
        return InvalidArgument("out_backprop has incompatible size.");
      }
      grad = c.input(2).template data<T>();
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, shape));
    T* out = y->mutable_data<T>();
    std::fill_n(out, y->num_elements(), T(0));
    if (d.output_shape().num_elements() == 0 || y->num_elements() == 0) return OkStatus();
    ForEachWindow(d, input.data<T>(), filter.data<T>(), [&](int64_t at, const Best<T>& best) {
      if constexpr (part == DilationPart::kOutput) {
        out[at] = best.value;
      } else {
        T& target = out[part == DilationPart::kInput ? best.input : best.filter];
        target = Plus(target, grad[at]);
      }
    });
    return OkStatus();
  }

 private:
  const WindowAttrs window_;
};
template <class T>
using OutputKernel = DilationKernel<T, DilationPart::kOutput>;
template <class T>
using InputKernel = DilationKernel<T, DilationPart::kInput>;
template <class T>
using FilterKernel = DilationKernel<T, DilationPart::kFilter>;

Status DilationShape(ShapeContext& c) {
  AttrMap attrs;
  for (const char* name : {"strides", "rates"}) {
    RAMET_ASSIGN_OR_RETURN(auto values, c.attr<std::vector<int64_t>>(name));
    attrs.Set(name, std::move(values));
  }
  RAMET_ASSIGN_OR_RETURN(auto padding, c.attr<std::string>("padding"));
  attrs.Set("padding", std::move(padding));
  RAMET_ASSIGN_OR_RETURN(const WindowAttrs window, ParseAttrs(attrs));
  RAMET_ASSIGN_OR_RETURN(Shape input, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(Shape filter, c.WithRank(1, 3));
  RAMET_ASSIGN_OR_RETURN(Shape depth, Shape{input.dim(3)}.MergeWith(Shape{filter.dim(2)}));
  Shape out = {input.dim(0), -1, -1, depth.dim(0)};
  for (int d = 0; d < 2; ++d) {
    RAMET_ASSIGN_OR_RETURN(const int64_t count,
                           InferPositions(window, d, input.dim(d + 1), filter.dim(d)));
    out.set_dim(d + 1, count);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <int input>
Status LikeInput(ShapeContext& c) {
  c.set_output(0, c.input(input));
  return OkStatus();
}

Status DilationGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(auto strides, c.attr<std::vector<int64_t>>("strides"));
  RAMET_ASSIGN_OR_RETURN(auto rates, c.attr<std::vector<int64_t>>("rates"));
  RAMET_ASSIGN_OR_RETURN(auto padding, c.attr<std::string>("padding"));
  const AttrMap attrs = {{"strides", strides}, {"rates", rates}, {"padding", padding}};
  const std::vector<Input> inputs = {c.input(0), c.input(1), c.grad()};
  return c.Return({c.Add("Dilation2DBackpropInput", inputs, attrs),
                   c.Add("Dilation2DBackpropFilter", inputs, attrs)});
}

#define RAMET_DILATION_ATTRS           \
  Attr("T: realnumbertype")            \
      .Attr("strides: list(int) >= 4") \
      .Attr("rates: list(int) >= 4")   \
      .Attr("padding: {'SAME', 'VALID'}")
#define RAMET_DILATION_DOC                                                                         \
  " strides and rates have the form [1, height, width, 1]: how far the filter moves, and the "     \
  "distance between its elements. Error: the ranks, depths or sizes do not fit together; strides " \
  "or rates do not have four elements or one is below 1; they apply to batch or depth "            \
  "(kUnimplemented)."

RAMET_OP("Dilation2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .RAMET_DILATION_ATTRS
    .Doc(
        "Returns the largest sum of pixel and filter under a filter [height, width, depth] that "
        "moves over images [batch, height, width, depth]." RAMET_DILATION_DOC)
    .Shape(DilationShape)
    .Gradient(DilationGradient)
    .CpuKernelClasses<OutputKernel, RAMET_REALS>();

RAMET_OP("Dilation2DBackpropInput")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("in_backprop: T")
    .RAMET_DILATION_ATTRS
    .Doc(
        "Returns the gradient of Dilation2D for its input: out_backprop summed at the pixels that "
        "give the largest sums." RAMET_DILATION_DOC)
    .Shape(LikeInput<0>)
    .CpuKernelClasses<InputKernel, RAMET_REALS>();

RAMET_OP("Dilation2DBackpropFilter")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("filter_backprop: T")
    .RAMET_DILATION_ATTRS
    .Doc(
        "Returns the gradient of Dilation2D for its filter: out_backprop summed at the filter "
        "elements that give the largest sums." RAMET_DILATION_DOC)
    .Shape(LikeInput<1>)
    .CpuKernelClasses<FilterKernel, RAMET_REALS>();

}  // namespace
}  // namespace ramet
