#include <algorithm>
#include <numeric>

#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/sparse/sparse.h"

// Sums and maxima over dimensions of a sparse tensor, with dense and sparse results.

namespace ramet {
namespace {

enum class SparseReduction { kSum, kMax };

template <class T>
T CombineReduced(SparseReduction kind, T a, T b) {
  if (kind == SparseReduction::kSum) return WrappingAdd(a, b);
  // The order of comparison decides about NaN, as in TensorFlow.
  if constexpr (std::is_arithmetic_v<T>) {
    return a > b ? a : b;
  } else if constexpr (requires { a.real(); }) {
    return a;
  } else {
    return static_cast<float>(a) > static_cast<float>(b) ? a : b;
  }
}

// The dimensions that stay, the shape of the result, and the elements in the order of the result.
struct ReducePlan {
  std::vector<int> kept;
  std::vector<int64_t> dims;
  std::vector<int64_t> order;
};

// Returns which dimensions are reduced.
StatusOr<std::vector<bool>> ReducedDimensions(const Tensor& axes, int rank) {
  std::vector<bool> reduced(rank);
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = axes.data<int32_t>()[i];
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ", axis, ", for input with ", rank,
                             " dimensions.");
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  return reduced;
}

StatusOr<ReducePlan> PlanReduction(const SparseView& s, const Tensor& axes, bool keep_dims) {
  if (s.shape.rank() != 1) {
    return InvalidArgument("Expected input_shape to be a vector; got shape: ", s.shape.shape());
  }
  if (axes.rank() > 1) {
    return InvalidArgument("Expected reduction_axes to be a scalar or a vector; got shape: ",
                           axes.shape());
  }
  const int rank = static_cast<int>(s.dims().size());
  RAMET_ASSIGN_OR_RETURN(const std::vector<bool> reduced, ReducedDimensions(axes, rank));
  RAMET_RETURN_IF_ERROR(DenseShapeOf(s.dims()).status());
  RAMET_RETURN_IF_ERROR(CheckParts(s));
  ReducePlan plan;
  for (int d = 0; d < rank; ++d) {
    if (!reduced[d]) plan.kept.push_back(d);
    if (!reduced[d] || keep_dims) plan.dims.push_back(reduced[d] ? 1 : s.dims()[d]);
  }
  std::vector<int> by = plan.kept;
  for (int d = 0; d < rank; ++d) {
    if (reduced[d]) by.push_back(d);
  }
  plan.order = SortedOrder(s.indices.data<int64_t>(), s.count(), rank, by);
  return plan;
}

bool SameGroup(const SparseView& s, const ReducePlan& plan, int64_t i, int64_t k) {
  return std::ranges::all_of(plan.kept, [&](int d) { return s.row(i)[d] == s.row(k)[d]; });
}

// Calls `write(row, value)` for each group of elements that are reduced to one; `row` is the index
// of one of them.
template <class T, class Write>
Status ReduceGroups(const SparseView& s, const ReducePlan& plan, SparseReduction kind,
                    Write&& write) {
  const T* values = s.values.data<T>();
  for (size_t first = 0, last = 0; first < plan.order.size(); first = last) {
    T result = values[plan.order[first]];
    for (last = first + 1; last < plan.order.size(); ++last) {
      if (!SameGroup(s, plan, plan.order[first], plan.order[last])) break;
      result = CombineReduced(kind, result, values[plan.order[last]]);
    }
    RAMET_RETURN_IF_ERROR(write(s.row(plan.order[first]), result));
  }
  return OkStatus();
}

template <SparseReduction kKind, class T>
Status ReduceToDense(KernelContext& c, bool keep_dims) {
  const SparseView s = SparseInputs(c);
  RAMET_ASSIGN_OR_RETURN(const ReducePlan plan, PlanReduction(s, c.input(3), keep_dims));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, s.values.dtype(), Shape(plan.dims)));
  T* out = y->mutable_data<T>();
  const int64_t total = y->num_elements();
  std::fill_n(out, total, T());
  return ReduceGroups<T>(s, plan, kKind, [&](const int64_t* row, T value) {
    uint64_t at = 0;
    for (const int d : plan.kept) {
      at = at * static_cast<uint64_t>(s.dims()[d]) + static_cast<uint64_t>(row[d]);
    }
    if (at < static_cast<uint64_t>(total)) {
      out[at] = value;
      return OkStatus();
    }
    return Internal("Obtained a write index of ", static_cast<int64_t>(at),
                    " which is outside of bounds of [0, ", total, ")");
  });
}

// A dimension that is kept with size 1 has index 0.
template <SparseReduction kKind, class T>
Status ReduceToSparse(KernelContext& c, bool keep_dims) {
  const SparseView s = SparseInputs(c);
  RAMET_ASSIGN_OR_RETURN(const ReducePlan plan, PlanReduction(s, c.input(3), keep_dims));
  std::vector<int64_t> indices;
  std::vector<T> values;
  RAMET_RETURN_IF_ERROR(ReduceGroups<T>(s, plan, kKind, [&](const int64_t* row, T value) -> Status {
    const size_t first = indices.size();
    indices.resize(first + plan.dims.size());
    for (size_t k = 0; k < plan.kept.size(); ++k) {
      const int d = plan.kept[k];
      indices[first + (keep_dims ? static_cast<size_t>(d) : k)] = row[d];
    }
    values.push_back(value);
    return OkStatus();
  }));
  RAMET_ASSIGN_OR_RETURN(const SparseOutputs out,
                         AllocateSparse(c, 0, s.values.dtype(), std::ssize(values), plan.dims));
  std::ranges::copy(indices, out.indices->mutable_data<int64_t>());
  std::ranges::copy(values, out.values->template mutable_data<T>());
  return OkStatus();
}

template <class T, Status (*compute)(KernelContext& c, bool keep_dims)>
class SparseReduceKernel final : public Kernel {
 public:
  explicit SparseReduceKernel(bool keep_dims) : keep_dims_(keep_dims) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(
        std::make_unique<SparseReduceKernel>(node.attrs->GetOr("keep_dims", false)));
  }
  Status Compute(KernelContext& c) override { return compute(c, keep_dims_); }

 private:
  const bool keep_dims_;
};

template <class T>
using SumToDense = SparseReduceKernel<T, ReduceToDense<SparseReduction::kSum, T>>;
template <class T>
using MaxToDense = SparseReduceKernel<T, ReduceToDense<SparseReduction::kMax, T>>;
template <class T>
using SumToSparse = SparseReduceKernel<T, ReduceToSparse<SparseReduction::kSum, T>>;
template <class T>
using MaxToSparse = SparseReduceKernel<T, ReduceToSparse<SparseReduction::kMax, T>>;

// Known with known shape and axes only.
Status ReduceToDenseShape(ShapeContext& c) {
  const Tensor *shape = c.constant(2), *axes = c.constant(3);
  if (shape == nullptr || axes == nullptr || shape->rank() != 1) return OkStatus();
  const auto dims = shape->flat<int64_t>();
  RAMET_ASSIGN_OR_RETURN(const auto reduced,
                         ReducedDimensions(*axes, static_cast<int>(dims.size())));
  RAMET_ASSIGN_OR_RETURN(const bool keep_dims, c.attr<bool>("keep_dims"));
  std::vector<int64_t> left;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!reduced[d] || keep_dims) left.push_back(reduced[d] ? 1 : dims[d]);
  }
  RAMET_ASSIGN_OR_RETURN(Shape known, Shape::Make(left));
  c.set_output(0, std::move(known));
  return OkStatus();
}

// Returns the shape that the sum would have with keep_dims: a constant if it is known.
Output KeptSparseShape(GradientContext& c) {
  const Output shape = c.input(2), axes = c.input(3);
  const Tensor known = ConstantValue(shape), known_axes = ConstantValue(axes);
  if (!known.empty() && !known_axes.empty()) {
    std::vector<int64_t> dims(known.flat<int64_t>().begin(), known.flat<int64_t>().end());
    for (const int32_t axis : known_axes.flat<int32_t>()) {
      const auto rank = static_cast<int32_t>(dims.size());
      if (axis >= -rank && axis < rank) dims[axis < 0 ? axis + rank : axis] = 1;
    }
    return Int32Vector(c, dims, "Reshape/shape");
  }
  const Output rank = SizeOf(c, shape);
  const Output positive =
      c.Add("FloorMod", {c.Add("AddV2", {axes, rank}, {}, "add"), rank}, {}, "mod");
  const Output axes_shape = ShapeOf(c, positive);
  const Output all = RangeTo(c, rank);
  const Output one = Constant(c.graph(), Tensor(int64_t{1}), "ones/Const");
  const Output ones = c.Add("Fill", {axes_shape, one}, {}, "ones");
  return c.Add("DynamicStitch", {all, positive, shape, ones}, {{"N", 2}});
}

Status SparseReduceSumGradient(GradientContext& c) {
  const Output grad = c.grad(), indices = c.input(0), shape = c.input(2);
  const Output kept = KeptSparseShape(c);
  const Output reshaped = Reshape(c, grad, kept);
  const Output scale = c.Add("FloorDiv", {shape, Cast(c, kept, kInt64)}, {}, "floordiv");
  const Output scaled = c.Add("FloorDiv", {indices, scale}, {}, "floordiv");
  return c.Return({Gradient(), c.Add("GatherNd", {reshaped, scaled}), Gradient(), Gradient()});
}

#define RAMET_SPARSE_REDUCE_DOC(what, result)                                                    \
  "Returns the " what                                                                            \
  " of a sparse tensor over the dimensions reduction_axes, a scalar or vector (negative values " \
  "count from the end), as a " result                                                            \
  " tensor. With keep_dims, reduced dimensions stay with size 1. Error: the inputs are not the " \
  "parts of a sparse tensor; an axis is out of range; an index is out of bounds."
#define RAMET_SPARSE_REDUCE(name, types) \
  RAMET_OP(name)                         \
      .Input("input_indices: int64")     \
      .Input("input_values: T")          \
      .Input("input_shape: int64")       \
      .Input("reduction_axes: int32")    \
      .Attr("keep_dims: bool = false")   \
      .Attr(types)                       \
      .HostMemory({"reduction_axes"})
#define RAMET_SPARSE_REDUCE_SPARSE(name, types) \
  RAMET_SPARSE_REDUCE(name, types)              \
      .Output("output_indices: int64")          \
      .Output("output_values: T")               \
      .Output("output_shape: int64")            \
      .Shape(UnknownShape)

RAMET_SPARSE_REDUCE("SparseReduceSum", "T: numbertype")
    .Output("output: T")
    .Doc(RAMET_SPARSE_REDUCE_DOC("sum", "dense"))
    .Shape(ReduceToDenseShape)
    .Gradient(SparseReduceSumGradient)
    .CpuKernelClasses<SumToDense, RAMET_NUMBERS>();
RAMET_SPARSE_REDUCE("SparseReduceMax", "T: realnumbertype")
    .Output("output: T")
    .Doc(RAMET_SPARSE_REDUCE_DOC("maximum of the elements", "dense"))
    .Shape(ReduceToDenseShape)
    .CpuKernelClasses<MaxToDense, RAMET_REALS>();
RAMET_SPARSE_REDUCE_SPARSE("SparseReduceSumSparse", "T: numbertype")
    .Doc(RAMET_SPARSE_REDUCE_DOC("sum", "sparse"))
    .CpuKernelClasses<SumToSparse, RAMET_NUMBERS>();
RAMET_SPARSE_REDUCE_SPARSE("SparseReduceMaxSparse", "T: realnumbertype")
    .Doc(RAMET_SPARSE_REDUCE_DOC("maximum of the elements", "sparse"))
    .CpuKernelClasses<MaxToSparse, RAMET_REALS>();

}  // namespace
}  // namespace ramet
