#include <algorithm>
#include <array>
#include <limits>

#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/nn/fractional_pool.h"

// FractionalMaxPool, FractionalAvgPool and their gradients.

namespace ramet {
namespace {

enum class FractionalKind { kMax, kAverage };

template <FractionalKind kind, class T>
class FractionalPoolKernel final : public Kernel {
 public:
  explicit FractionalPoolKernel(FractionalPool pool) : pool_(std::move(pool)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(
        FractionalPool pool,
        FractionalPool::Parse(*node.attrs, kind == FractionalKind::kMax ? "max" : "average"));
    return std::unique_ptr<Kernel>(std::make_unique<FractionalPoolKernel>(std::move(pool)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (x.rank() != 4) return InvalidArgument("tensor_in must be 4-dimensional");
    for (int d = 0; d < 4; ++d) {
      if (static_cast<float>(x.dim(d)) >= pool_.ratio[d]) continue;
      return InvalidArgument("Pooling ratio is higher than input dimension size for dimension ", d,
                             ". Input dim size: ", x.dim(d), " pooling ratio: ", pool_.ratio[d]);
    }
    const PoolSizes sizes{x.dim(0),
                          x.dim(1),
                          x.dim(2),
                          x.dim(3),
                          pool_.OutputSize(1, x.dim(1)),
                          pool_.OutputSize(2, x.dim(2))};
    RAMET_ASSIGN_OR_RETURN(
        Tensor * y,
        c.Allocate(0, x.dtype(), Shape{sizes.batch, sizes.rows, sizes.columns, sizes.channels}));
    RAMET_ASSIGN_OR_RETURN(Tensor * rows, c.Allocate(1, DType::kInt64, Shape{sizes.rows + 1}));
    RAMET_ASSIGN_OR_RETURN(Tensor * columns,
                           c.Allocate(2, DType::kInt64, Shape{sizes.columns + 1}));
    const auto sequence = [](Tensor* t) {
      return std::span(t->mutable_data<int64_t>(), static_cast<size_t>(t->dim(0)));
    };
    pool_.Draw(sizes.height, sizes.width, sequence(rows), sequence(columns));
    Pool(sizes, x.data<T>(), rows->data<int64_t>(), columns->data<int64_t>(), y->mutable_data<T>());
    return OkStatus();
  }

 private:
  void Pool(const PoolSizes& sizes, const T* x, const int64_t* rows, const int64_t* columns,
            T* out) const {
    constexpr bool kMax = kind == FractionalKind::kMax;
    const int64_t depth = sizes.channels;
    std::fill_n(out, sizes.batch * sizes.rows * sizes.columns * depth,
                kMax ? std::numeric_limits<T>::lowest() : T{0});
    sizes.ForEachWindow(
        rows, columns, pool_.overlapping,
        [&](int64_t image, const PoolSpan& y_span, const PoolSpan& x_span, int64_t window) {
          T* y = out + window * depth;
          sizes.ForEachPixel(image, y_span, x_span, [&](int64_t at) {
            for (int64_t k = 0; k < depth; ++k) {
              const T value = x[at + k];
              if constexpr (kMax) {
                if (y[k] < value) y[k] = value;
              } else {
                y[k] = WrappingAdd(y[k], value);
              }
            }
          });
          if constexpr (!kMax) {
            const T count = static_cast<T>(y_span.size() * x_span.size());
            for (int64_t k = 0; k < depth && count != 0; ++k) y[k] /= count;
          }
        });
  }

  const FractionalPool pool_;
};

template <class T>
using FractionalMaxKernel = FractionalPoolKernel<FractionalKind::kMax, T>;
template <class T>
using FractionalAvgKernel = FractionalPoolKernel<FractionalKind::kAverage, T>;

// \error kInvalidArgument: a sequence is not a vector, or has an element that is negative.
Status CheckVector(const Tensor& sequence, std::string_view name) {
  if (sequence.rank() == 1) return OkStatus();
  return InvalidArgument(name, " must be a vector, received shape ", sequence.shape());
}

Status NegativeSequence(const Tensor& sequence, std::string_view name) {
  return InvalidArgument(name, " sequence tensor values must not be negative, got ",
                         sequence.ToString());
}

Status CheckNotNegative(const Tensor& sequence, std::string_view name) {
  const auto values = sequence.flat<int64_t>();
  if (std::ranges::all_of(values, [](int64_t v) { return v >= 0; })) return OkStatus();
  return NegativeSequence(sequence, name);
}

Status CheckImages(const Tensor& images, std::string_view name) {
  if (images.rank() != 4) {
    return InvalidArgument(name, " should be a tensor of rank 4, got ", images.ToString());
  }
  if (images.num_elements() > 0) return OkStatus();
  return InvalidArgument(name, " must not be empty, got ", images.ToString());
}

// Checks the inputs of FractionalMaxPoolGrad, and returns their sizes.
StatusOr<PoolSizes> MaxGradSizes(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1), &dy = c.input(2), &rows = c.input(3),
               &columns = c.input(4);
  RAMET_RETURN_IF_ERROR(CheckVector(rows, "row_pooling_sequence"));
  RAMET_RETURN_IF_ERROR(CheckVector(columns, "col_pooling_sequence"));
  RAMET_RETURN_IF_ERROR(CheckImages(x, "orig_input"));
  RAMET_RETURN_IF_ERROR(CheckImages(y, "orig_output"));
  RAMET_RETURN_IF_ERROR(CheckNotNegative(rows, "Row"));
  RAMET_RETURN_IF_ERROR(CheckNotNegative(columns, "Column"));
  const PoolSizes sizes{x.dim(0), x.dim(1),        x.dim(2),
                        x.dim(3), rows.dim(0) - 1, columns.dim(0) - 1};
  const Shape pooled{sizes.batch, sizes.rows, sizes.columns, sizes.channels};
  if (y.shape() != pooled) {
    return InvalidArgument("tensor_out_dup is not the same as tensor_out: orig_output has shape ",
                           y.shape(), ", but the pooling sequences divide orig_input into ",
                           pooled);
  }
  if (dy.shape() == pooled) return sizes;
  return InvalidArgument("out_backprop must have the shape of orig_output, ", pooled,
                         ", but has shape ", dy.shape());
}

template <class T>
class FractionalMaxGradKernel final : public Kernel {
 public:
  explicit FractionalMaxGradKernel(bool overlapping) : overlapping_(overlapping) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<FractionalMaxGradKernel>(node.attrs->GetOr("overlapping", false));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const PoolSizes sizes, MaxGradSizes(c));
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, c.input(0).dtype(), c.input(0).shape()));
    RAMET_RETURN_IF_ERROR(FillZeros(*dx));
    const T *x = c.input(0).data<T>(), *y = c.input(1).data<T>(), *dy = c.input(2).data<T>();
    T* out = dx->mutable_data<T>();
    bool same = true;
    sizes.ForEachWindow(
        c.input(3).data<int64_t>(), c.input(4).data<int64_t>(), overlapping_,
        [&](int64_t image, const PoolSpan& y_span, const PoolSpan& x_span, int64_t window) {
          for (int64_t k = 0; k < sizes.channels; ++k) {
            const int64_t element = window * sizes.channels + k;
            const int64_t at = Largest(sizes, image, y_span, x_span, x + k);
            if (at >= 0 && x[at + k] == y[element]) {
              out[at + k] = WrappingAdd(out[at + k], dy[element]);
            } else {
              same = false;
            }
          }
        });
    if (same) return OkStatus();
    return InvalidArgument("tensor_out_dup is not the same as tensor_out");
  }

 private:
  // Returns the first pixel of a window with the largest value, or -1 if the window is empty.
  static int64_t Largest(const PoolSizes& sizes, int64_t image, const PoolSpan& y,
                         const PoolSpan& x, const T* values) {
    int64_t largest = -1;
    sizes.ForEachPixel(image, y, x, [&](int64_t at) {
      if (largest < 0 || values[largest] < values[at]) largest = at;
    });
    return largest;
  }

  const bool overlapping_;
};

// Checks the first `count` windows of a sequence. The elements behind them are not read.
// \error kInvalidArgument: a window begins or ends before the image.
Status CheckWindows(const Tensor& sequence, int64_t count, bool overlapping,
                    std::string_view name) {
  const int64_t* at = sequence.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    if (at[i] >= 0 && at[i + 1] >= (overlapping ? 0 : 1)) continue;
    return NegativeSequence(sequence, name);
  }
  return OkStatus();
}

// Checks the inputs of FractionalAvgPoolGrad, and returns the shape of the images.
StatusOr<Shape> AverageGradShape(KernelContext& c, bool overlapping) {
  const Tensor &sizes = c.input(0), &dy = c.input(1);
  if (sizes.rank() != 1 || sizes.dim(0) != 4) {
    return InvalidArgument("original input tensor shape must be1-dimensional and 4 elements");
  }
  if (dy.rank() != 4) return InvalidArgument("out_backprop must be 4-dimensional");
  for (int d = 0; d < 4; ++d) {
    if (dy.dim(d) > 0) continue;
    return InvalidArgument("out_backprop must be positive for all dimension, got:", dy.dim(d));
  }
  for (const auto& [input, d, name] :
       {std::tuple{2, 1, "row_seq_tensor"}, std::tuple{3, 2, "col_seq_tensor"}}) {
    if (c.input(input).num_elements() > dy.dim(d)) continue;
    return InvalidArgument("Given out_backprop shape ", dy.shape(), ", ", name,
                           " must have at least ", dy.dim(d) + 1, " elements, but got ",
                           c.input(input).num_elements());
  }
  constexpr std::array<const char*, 4> kNames = {"Batch", "Rows", "Columns", "Depth"};
  for (int d = 0; d < 4; ++d) {
    if (IntegerAt(sizes, d) != 0) continue;
    return InvalidArgument(kNames[d], " dimension of input must not be 0");
  }
  RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(sizes, "orig_input_tensor_shape"));
  RAMET_RETURN_IF_ERROR(CheckWindows(c.input(2), dy.dim(1), overlapping, "Row"));
  RAMET_RETURN_IF_ERROR(CheckWindows(c.input(3), dy.dim(2), overlapping, "Column"));
  if (dy.dim(0) <= shape.dim(0) && dy.dim(3) == shape.dim(3)) return shape;
  return InvalidArgument("out_backprop must have at most the batch, ", shape.dim(0),
                         ", and the channels of the images, ", shape.dim(3), ", but has shape ",
                         dy.shape());
}

template <class T>
class FractionalAvgGradKernel final : public Kernel {
 public:
  explicit FractionalAvgGradKernel(bool overlapping) : overlapping_(overlapping) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<FractionalAvgGradKernel>(node.attrs->GetOr("overlapping", false));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Shape shape, AverageGradShape(c, overlapping_));
    const Tensor& grads = c.input(1);
    // Images without a gradient stay zeros.
    const PoolSizes sizes{grads.dim(0), shape.dim(1), shape.dim(2),
                          shape.dim(3), grads.dim(1), grads.dim(2)};
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, c.Allocate(0, grads.dtype(), shape));
    RAMET_ASSIGN_OR_RETURN(Tensor sums, c.AllocateTemp(DType::kDouble, shape));
    RAMET_RETURN_IF_ERROR(FillZeros(sums));
    double* sum = sums.mutable_data<double>();
    const T* dy = grads.data<T>();
    sizes.ForEachWindow(
        c.input(2).data<int64_t>(), c.input(3).data<int64_t>(), overlapping_,
        [&](int64_t image, const PoolSpan& y_span, const PoolSpan& x_span, int64_t window) {
          const auto count = static_cast<double>(y_span.size() * x_span.size());
          sizes.ForEachPixel(image, y_span, x_span, [&](int64_t at) {
            for (int64_t k = 0; k < sizes.channels; ++k) {
              sum[at + k] += static_cast<double>(dy[window * sizes.channels + k]) / count;
            }
          });
        });
    std::ranges::transform(sums.flat<double>(), dx->mutable_data<T>(), Saturated);
    return OkStatus();
  }

 private:
  // Returns x as a T. A sum of integers that rounds to just outside of T becomes the nearest T.
  static T Saturated(double x) {
    if constexpr (std::is_integral_v<T>) {
      constexpr auto kLimit = static_cast<double>(std::numeric_limits<T>::max());
      if (x >= kLimit) return std::numeric_limits<T>::max();
      if (x <= -kLimit) return std::numeric_limits<T>::lowest();
    }
    return static_cast<T>(x);
  }

  const bool overlapping_;
};

AttrMap OverlappingAttr(const GradientContext& c) {
  AttrMap attrs;
  attrs.Set("overlapping", c.op().attrs()->GetOr("overlapping", false));
  return attrs;
}

Status MaxGradient(GradientContext& c) {
  return c.Return(
      {c.Add("FractionalMaxPoolGrad", {c.input(0), c.output(0), c.grad(), c.output(1), c.output(2)},
             OverlappingAttr(c))});
}

Status AverageGradient(GradientContext& c) {
  const Output shape = ShapeOf(c, c.input(0), DType::kInt64);
  return c.Return({c.Add("FractionalAvgPoolGrad", {shape, c.grad(), c.output(1), c.output(2)},
                         OverlappingAttr(c))});
}

Status MaxGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.WithRank(0, 4));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status AverageGradShapeInferred(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.constant_as_shape(0));
  c.set_output(0, shape.unknown_rank() ? Shape::OfRank(4) : std::move(shape));
  return OkStatus();
}

constexpr char kFractionalTypes[] = "T: {float, double, int32, int64}";

#define RAMET_FRACTIONAL_POOL(name, what)                                                       \
  RAMET_OP(name)                                                                                \
      .Input("value: T")                                                                        \
      .Output("output: T")                                                                      \
      .Output("row_pooling_sequence: int64")                                                    \
      .Output("col_pooling_sequence: int64")                                                    \
      .Attr("pooling_ratio: list(float) >= 4")                                                  \
      .Attr("pseudo_random: bool = false")                                                      \
      .Attr("overlapping: bool = false")                                                        \
      .Attr("deterministic: bool = false")                                                      \
      .Attr("seed: int = 0")                                                                    \
      .Attr("seed2: int = 0")                                                                   \
      .AttrRange("seed", INT64_MIN, INT64_MAX)                                                  \
      .AttrRange("seed2", INT64_MIN, INT64_MAX)                                                 \
      .Attr(kFractionalTypes)                                                                   \
      .Doc("Returns the " what                                                                  \
           " of each window of images [batch, height, width, channels], where height and "      \
           "width are divided into floor(size / pooling_ratio) windows. Their sizes differ by " \
           "at most 1; their order is random, or with pseudo_random, spread evenly from a "     \
           "random offset. The sequences are the first row or column of each window, and the "  \
           "size of the image. With `overlapping`, a window includes the first row and column " \
           "of the next ones. With `deterministic`, each run has the same windows, which are "  \
           "TensorFlow's if a seed is set. Error: the images are not of rank 4; a ratio is "    \
           "less than 1 or larger than the dimension; a ratio is not 1 for batch or channels "  \
           "(kUnimplemented); a seed is set without `deterministic`.")                          \
      .Shape(FractionalPoolShape)

RAMET_FRACTIONAL_POOL("FractionalMaxPool", "largest value")
    .Gradient(MaxGradient)
    .CpuKernelClasses<FractionalMaxKernel, float, double, int32_t, int64_t>();
RAMET_FRACTIONAL_POOL("FractionalAvgPool", "mean")
    .Gradient(AverageGradient)
    .CpuKernelClasses<FractionalAvgKernel, float, double, int32_t, int64_t>();

RAMET_OP("FractionalMaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("out_backprop: T")
    .Input("row_pooling_sequence: int64")
    .Input("col_pooling_sequence: int64")
    .Output("output: T")
    .Attr("overlapping: bool = false")
    .Attr(kFractionalTypes)
    .Doc(
        "Returns the gradient of FractionalMaxPool for its images: the gradient of each window "
        "goes to the first of its largest elements. Error: the images are empty or not of rank 4; "
        "the sequences are not vectors or have a negative element; the shapes do not fit together; "
        "orig_output does not have the largest elements of the windows.")
    .HostMemory({"row_pooling_sequence", "col_pooling_sequence"})
    .Shape(MaxGradShape)
    .CpuKernelClasses<FractionalMaxGradKernel, float, double, int32_t, int64_t>();

RAMET_OP("FractionalAvgPoolGrad")
    .Input("orig_input_tensor_shape: int64")
    .Input("out_backprop: T")
    .Input("row_pooling_sequence: int64")
    .Input("col_pooling_sequence: int64")
    .Output("output: T")
    .Attr("overlapping: bool = false")
    .Attr(kFractionalTypes)
    .Doc(
        "Returns the gradient of FractionalAvgPool for its images, of shape "
        "orig_input_tensor_shape: the gradient of each window is divided among its elements. "
        "The gradient of images beyond the batch of out_backprop is 0. Error: the shape does not "
        "have four positive elements; out_backprop is empty or not of rank 4, or has a larger "
        "batch or different channels; a sequence is too short or has a window that begins or ends "
        "before the image.")
    .HostMemory({"orig_input_tensor_shape", "row_pooling_sequence", "col_pooling_sequence"})
    .Shape(AverageGradShapeInferred)
    .CpuKernelClasses<FractionalAvgGradKernel, float, double, int32_t, int64_t>();

}  // namespace
}  // namespace ramet
