#include <algorithm>
#include <cmath>

#include "ramet/op/op.h"
#include "ramet/ops/math/types.h"

// Ops that find the positions of numbers among sorted ones, or count numbers in evenly spaced bins.

namespace ramet {
namespace {

template <class T>
class BucketizeKernel final : public Kernel {
 public:
  explicit BucketizeKernel(std::vector<float> boundaries) : boundaries_(std::move(boundaries)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto boundaries, node.attrs->Get<std::vector<float>>("boundaries"));
    if (!std::ranges::is_sorted(boundaries)) return InvalidArgument("Expected sorted boundaries");
    return StatusOr<std::unique_ptr<Kernel>>(
        std::make_unique<BucketizeKernel>(std::move(boundaries)));
  }
  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kInt32, x.shape()));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const auto at = std::upper_bound(boundaries_.begin(), boundaries_.end(), x.data<T>()[i]);
      y->mutable_data<int32_t>()[i] = static_cast<int32_t>(at - boundaries_.begin());
    }
    return OkStatus();
  }

 private:
  const std::vector<float> boundaries_;
};

// The type in which elements are compared: float for short floats, otherwise T.
template <class T>
using Wider = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <class T>
double NumberAt(const Tensor& t, int64_t i) {
  return static_cast<double>(static_cast<Wider<T>>(t.data<T>()[i]));
}

Status CheckHistogram(const Tensor& range, const Tensor& nbins) {
  if (range.shape() != Shape{2}) {
    return InvalidArgument("value_range should be a vector of 2 elements. Its shape is ",
                           range.shape());
  }
  if (nbins.rank() != 0) {
    return InvalidArgument("nbins should be a scalar. Its shape is ", nbins.shape());
  }
  if (IntegerAt(nbins, 0) > 0) return OkStatus();
  return InvalidArgument("nbins should be a positive number, but got '", IntegerAt(nbins, 0), "'");
}

// Counts values outside the range in the first or last bin.
template <class T>
Status Histogram(KernelContext& c, DType out) {
  const Tensor &values = c.input(0), &range = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckHistogram(range, c.input(2)));
  const int64_t bins = IntegerAt(c.input(2), 0);
  const double low = NumberAt<T>(range, 0), high = NumberAt<T>(range, 1);
  if (!(low < high)) {
    return InvalidArgument("value_range should satisfy value_range[0] < value_range[1], but got '[",
                           low, ", ", high, "]'");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, out, Shape{bins}));
  const double step = (high - low) / static_cast<double>(bins);
  const auto count = [&]<class Out>(Out* counts) -> Status {
    std::fill_n(counts, bins, Out(0));
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      const double x = NumberAt<T>(values, i);
      if (std::isnan(x)) return InvalidArgument("Histogram values must not contain NaN");
      const double at = (std::clamp(x, low, high) - low) / step;
      // NaN, which an infinite range yields for an infinite value, counts in the first bin.
      const int64_t bin = at >= static_cast<double>(bins) ? bins - 1
                          : at > 0                        ? static_cast<int64_t>(at)
                                                          : 0;
      ++counts[bin];
    }
    return OkStatus();
  };
  return out == kInt32 ? count(y->mutable_data<int32_t>()) : count(y->mutable_data<int64_t>());
}

template <class T>
class HistogramKernel final : public Kernel {
 public:
  explicit HistogramKernel(DType out) : out_(out) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<HistogramKernel>(node.output_types[0]);
  }
  Status Compute(KernelContext& c) override { return Histogram<T>(c, out_); }

 private:
  const DType out_;
};

Status HistogramShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape range, c.WithRank(1, 1));
  if (range.dim(0) >= 0 && range.dim(0) != 2) {
    return InvalidArgument("Dimension must be 2 but is ", range.dim(0));
  }
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const Tensor* bins = c.constant(2);
  if (bins != nullptr && IntegerAt(*bins, 0) <= 0) {
    return InvalidArgument("Requires nbins > 0: ", IntegerAt(*bins, 0));
  }
  c.set_output(0, Shape{bins != nullptr ? IntegerAt(*bins, 0) : Shape::kUnknownDim});
  return OkStatus();
}

Status CheckMatrix(const Tensor& t, std::string_view name) {
  if (t.rank() == 2) return OkStatus();
  return InvalidArgument("Shape must be rank 2 but is rank ", t.rank(), " for `", name,
                         "` argument");
}

// Finds, for each value of a row, where it would be inserted into the sorted row.
template <class T, bool kUpper>
Status Bound(KernelContext& c, DType out) {
  const Tensor &sorted = c.input(0), &values = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckMatrix(sorted, "sorted_inputs"));
  RAMET_RETURN_IF_ERROR(CheckMatrix(values, "values"));
  if (sorted.dim(0) != values.dim(0)) {
    return InvalidArgument("Leading dim_size of both tensors must match.");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, out, values.shape()));
  const int64_t width = sorted.dim(1), count = values.dim(1);
  const auto less = [](const T& a, const T& b) {
    return static_cast<Wider<T>>(a) < static_cast<Wider<T>>(b);
  };
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    const T* row = sorted.data<T>() + i / count * width;
    const T& value = values.data<T>()[i];
    const T* at = kUpper ? std::upper_bound(row, row + width, value, less)
                         : std::lower_bound(row, row + width, value, less);
    if (out == kInt32) {
      y->mutable_data<int32_t>()[i] = static_cast<int32_t>(at - row);
    } else {
      y->mutable_data<int64_t>()[i] = at - row;
    }
  }
  return OkStatus();
}

template <class T, bool kUpper>
class BoundKernel final : public Kernel {
 public:
  explicit BoundKernel(DType out) : out_(out) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<BoundKernel>(node.output_types[0]);
  }
  Status Compute(KernelContext& c) override { return Bound<T, kUpper>(c, out_); }

 private:
  const DType out_;
};
template <class T>
using LowerKernel = BoundKernel<T, false>;
template <class T>
using UpperKernel = BoundKernel<T, true>;

Status BoundShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  RAMET_ASSIGN_OR_RETURN(Shape values, c.WithRank(1, 2));
  c.set_output(0, std::move(values));
  return OkStatus();
}

RAMET_OP("Bucketize")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: {int32, int64, float, double}")
    .Attr("boundaries: list(float)")
    .Doc(
        "Returns, for each element, the number of boundaries that are less than or equal to it. "
        "The boundaries must be in ascending order. The output has the shape of the input. Error: "
        "the boundaries are not sorted.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernelClasses<BucketizeKernel, int32_t, int64_t, float, double>();

RAMET_OP("HistogramFixedWidth")
    .Input("values: T")
    .Input("value_range: T")
    .Input("nbins: int32")
    .Output("out: dtype")
    .Attr("T: {int32, int64, float, double}")
    .Attr("dtype: {int32, int64} = int32")
    .HostMemory({"value_range", "nbins"})
    .Doc(
        "Returns how many values lie in each of `nbins` equal parts of value_range, [low, high]. "
        "Values outside the range count in the first or last part. Error: value_range does not "
        "have two elements or is empty; nbins is not a positive scalar; a value is NaN.")
    .Shape(HistogramShape)
    .NotDifferentiable()
    .CpuKernelClasses<HistogramKernel, int32_t, int64_t, float, double>();

#define RAMET_BOUND_OP(name, kernel, doc)       \
  RAMET_OP(name)                                \
      .Input("sorted_inputs: T")                \
      .Input("values: T")                       \
      .Output("output: out_type")               \
      .Attr("T: type")                          \
      .Attr("out_type: {int32, int64} = int32") \
      .Doc(doc)                                 \
      .Shape(BoundShape)                        \
      .NotDifferentiable()                      \
      .CpuKernelClasses<kernel, RAMET_REALS>()

RAMET_BOUND_OP("LowerBound", LowerKernel,
               "Returns, for each value, the number of elements in its row of sorted_inputs that "
               "are less than the value. Both inputs are matrices. The output has the shape of "
               "values. Error: an input is not a matrix; the numbers of rows differ.");
RAMET_BOUND_OP("UpperBound", UpperKernel,
               "Returns, for each value, the number of elements in its row of sorted_inputs that "
               "are less than or equal to the value. Both inputs are matrices. The output has the "
               "shape of values. Error: an input is not a matrix; the numbers of rows differ.");

}  // namespace
}  // namespace ramet
