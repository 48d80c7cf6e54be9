#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ramet/linalg/parallel.h"
#include "ramet/op/device_rows.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/stoppable_sort.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

template <class T>
auto Comparable(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return x;
  } else {
    return static_cast<float>(x);
  }
}

// An element and its index in the row.
template <class T>
struct Candidate {
  T value;
  int32_t number;

  // Orders larger elements first, equal ones by index, and NaNs last.
  bool operator<(const Candidate& other) const {
    const auto x = Comparable(value), y = Comparable(other.value);
    if (x > y) return true;
    if (x < y) return false;
    if constexpr (!std::is_integral_v<decltype(x)>) {
      if ((x != x) != (y != y)) return y != y;
    }
    return number < other.number;
  }
};

// Reports whether all n elements are at most `last` and none is NaN.
template <class T>
bool NoneAbove(const T* x, int64_t n, T last) {
  int above = 0;
  for (int64_t i = 0; i < n; ++i) above |= !(Comparable(x[i]) <= Comparable(last));
  return above == 0;
}

// Writes the first k of a row, in order, to `top`, which has room for n. For small k the best
// elements are kept sorted while the row is scanned; an element that is no better than the last of
// them costs one comparison.
template <class T>
void KeepTop(const T* row, int64_t n, int64_t k, Candidate<T>* top) {
  constexpr int64_t kBlock = 32;
  int64_t kept = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(n, begin + kBlock);
    if (kept == k && end - begin == kBlock && NoneAbove(row + begin, kBlock, top[k - 1].value)) {
      continue;
    }
    for (int64_t i = begin; i < end; ++i) {
      const Candidate<T> next{row[i], static_cast<int32_t>(i)};
      if (kept == k && !(next < top[k - 1])) continue;
      int64_t at = kept < k ? kept++ : k - 1;
      for (; at > 0 && next < top[at - 1]; --at) top[at] = top[at - 1];
      top[at] = next;
    }
  }
}

// Like KeepTop, but for large k. Returns early if `stop` is due.
template <class T>
void SortTop(const T* row, int64_t n, int64_t k, const StopCheck& stop, Candidate<T>* top) {
  for (int64_t i = 0; i < n; ++i) top[i] = {row[i], static_cast<int32_t>(i)};
  SortStoppably<Candidate<T>>(n, stop, std::less<Candidate<T>>(), [&](const auto& less) {
    if (k < n) std::nth_element(top, top + k, top + n, less);
    std::sort(top, top + k, less);
  });
}

template <class T, class Index>
void TopOfRow(const T* row, int64_t n, int64_t k, const StopCheck& stop, Candidate<T>* top,
              T* values, Index* indices) {
  constexpr int64_t kMaxKept = 16;
  if (k <= kMaxKept) {
    KeepTop(row, n, k, top);
  } else {
    SortTop(row, n, k, stop, top);
  }
  for (int64_t i = 0; i < k; ++i) {
    values[i] = top[i].value;
    indices[i] = static_cast<Index>(top[i].number);
  }
}

template <class T, class Index>
void TopOfRows(const Tensor& x, int64_t k, Tensor& order, Tensor& values, Tensor& indices) {
  const int64_t n = x.dim(x.rank() - 1), rows = x.num_elements() / n;
  const T* from = x.data<T>();
  T* to = values.mutable_data<T>();
  Index* at = indices.mutable_data<Index>();
  auto* room = static_cast<Candidate<T>*>(order.raw_data());
  constexpr int64_t kGrainElements = 1 << 12;
  const int64_t grain = kGrainElements / n + 1;
  const StopCheck stop;
  linalg::ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      if ((r - begin) % grain == 0 && stop.due()) return;
      TopOfRow(from + r * n, n, k, stop, room + r * n, to + r * k, at + r * k);
    }
  });
}

template <class T>
StatusOr<Tensor> AllocateRoom(KernelContext& c, int64_t n) {
  static_assert(alignof(Candidate<T>) <= 8);
  const int64_t dims[] = {n, int64_t{sizeof(Candidate<T>)}};
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  return c.AllocateTemp(DType::kUInt8, shape);
}

template <class T>
Status ComputeTopK(KernelContext& c, int64_t k, DType index_type) {
  const Tensor& x = c.input(0);
  if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
  if (x.rank() < 1) return InvalidArgument("input must be >= 1-D, got shape ", x.shape());
  const int64_t n = x.dim(x.rank() - 1);
  if (n < k) return InvalidArgument("input must have at least k columns. Had ", n, ", needed ", k);
  if (n > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("rows of ", n, " elements are too long");
  }
  if (index_type == DType::kInt16 && n > std::numeric_limits<int16_t>::max()) {
    return InvalidArgument("indices of rows of ", n, " elements do not fit in int16");
  }
  Shape shape = x.shape();
  shape.set_dim(x.rank() - 1, k);
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(0, x.dtype(), shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(1, index_type, shape));
  if (values->num_elements() == 0) return OkStatus();
  if (const DeviceRows* rows = DeviceRows::Of(*values)) {
    return rows->TopOfRows(x, *values, *indices);
  }
  RAMET_ASSIGN_OR_RETURN(Tensor order, AllocateRoom<T>(c, x.num_elements()));
  switch (index_type) {
    case DType::kInt16: TopOfRows<T, int16_t>(x, k, order, *values, *indices); break;
    case DType::kInt64: TopOfRows<T, int64_t>(x, k, order, *values, *indices); break;
    default: TopOfRows<T, int32_t>(x, k, order, *values, *indices);
  }
  return OkStatus();
}

template <class T>
class TopKKernel final : public Kernel {
 public:
  explicit TopKKernel(const AttrMap& attrs)
      : k_(attrs.GetOr("k", int64_t{-1})), index_type_(attrs.GetOr("index_type", DType::kInt32)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<TopKKernel>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    if (c.num_inputs() == 1) return ComputeTopK<T>(c, k_, index_type_);
    const Tensor& k = c.input(1);
    if (k.rank() != 0) return InvalidArgument("k must be scalar, got shape ", k.shape());
    return ComputeTopK<T>(c, IntegerAt(k, 0), index_type_);
  }

 private:
  const int64_t k_;
  const DType index_type_;
};

Status TopKShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  int64_t k = Shape::kUnknownDim;
  if (c.num_inputs() == 1) {
    RAMET_ASSIGN_OR_RETURN(k, c.attr<int64_t>("k"));
  } else {
    RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
    if (const Tensor* known = c.constant(1)) k = IntegerAt(*known, 0);
    if (k < Shape::kUnknownDim) return InvalidArgument("Need k >= 0, got ", k);
  }
  if (x.unknown_rank()) return OkStatus();
  const int64_t n = x.dim(x.rank() - 1);
  if (n >= 0 && n < k) {
    return InvalidArgument("input must have last dimension >= k = ", k, " but is ", n);
  }
  x.set_dim(x.rank() - 1, k);
  c.set_output(0, x);
  c.set_output(1, std::move(x));
  return OkStatus();
}

// Returns the last of the sizes in `shape`, as int64.
Output LastSize(GradientContext& c, const Output& shape) {
  Output sizes = Cast(c, shape, kInt64);
  Output last = SizeOf(c, shape) - 1;
  return c.Add("GatherV2", {sizes, last, 0});
}

// Passes the gradient to the elements that were selected; the rows are flattened for that.
Status TopKGradient(GradientContext& c) {
  Output grad = c.grad();
  Output in_shape = ShapeOf(c, c.input(0)), top_shape = ShapeOf(c, c.output(1));
  Output k = LastSize(c, top_shape);
  Output pair = c.Add("Pack", {Tensor(int64_t{-1}), k}, {{"N", 2}}, "stack");
  Output rows = Reshape(c, c.output(1), pair);
  Output n = LastSize(c, in_shape);
  Output count = Cast(c, ElementAt(c, ShapeOf(c, rows), 0), kInt64);
  Output begins =
      c.Add("Range",
            {Cast(c, Constant(c.graph(), Tensor(int32_t{0}), "range/start"), kInt64), count * n, n},
            {}, "range");
  Output column = c.Add("ExpandDims", {begins, -1});
  Output at = rows + Cast(c, column, rows.dtype());
  Output flat = Reshape(c, at, std::vector<int64_t>{-1});
  Output indices = c.Add("ExpandDims", {flat, -1});
  Output values = Reshape(c, grad, std::vector<int64_t>{-1});
  Output size = c.Add("Prod", {in_shape, Int32Vector(c, std::vector<int64_t>{0})});
  Output sizes = c.Add("Pack", {size}, {{"N", 1}}, "ScatterNd/shape");
  if (rows.dtype() != sizes.dtype()) sizes = Cast(c, sizes, rows.dtype());
  Output spread = c.Add("ScatterNd", {indices, values, sizes});
  std::vector<Gradient> grads(c.num_inputs());
  grads[0] = Reshape(c, spread, in_shape);
  return c.Return(std::move(grads));
}

constexpr char kTopKDoc[] =
    "Returns the k largest elements of each row (the last dimension) in descending order, equal "
    "ones in order of their indices, and their indices in the row. They are always sorted, "
    "whatever the attr `sorted` says. Error: k is not a scalar, is negative or exceeds the size of "
    "a row; the input is a scalar; the indices do not fit in index_type.";

RAMET_OP("TopK")
    .Input("input: T")
    .Output("values: T")
    .Output("indices: int32")
    .Attr("k: int >= 0")
    .Attr("sorted: bool = true")
    .Attr("T: realnumbertype")
    .Doc(kTopKDoc)
    .Shape(TopKShape)
    .Gradient(TopKGradient)
    .CpuKernelClasses<TopKKernel, RAMET_REALS>();

RAMET_OP("TopKV2")
    .Input("input: T")
    .Input("k: Tk")
    .Output("values: T")
    .Output("indices: index_type")
    .Attr("sorted: bool = true")
    .Attr("T: realnumbertype")
    .Attr("Tk: {int16, int32, int64} = int32")
    .Attr("index_type: {int16, int32, int64} = int32")
    .HostMemory({"k"})
    .Doc(kTopKDoc)
    .Shape(TopKShape)
    .Gradient(TopKGradient)
    .CpuKernelClasses<TopKKernel, RAMET_REALS>();

}  // namespace
}  // namespace ramet
