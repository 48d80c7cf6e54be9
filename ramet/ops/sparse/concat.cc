#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/sparse/sparse.h"

namespace ramet {
namespace {

// The N sparse tensors of SparseConcat. All indices come first, then all values, then all shapes.
class ConcatInputs {
 public:
  explicit ConcatInputs(const KernelContext& c) : context_(c), number_(c.num_inputs() / 3) {}
  int number() const { return number_; }
  SparseView operator[](int i) const {
    return {context_.input(i), context_.input(number_ + i), context_.input(2 * number_ + i)};
  }

 private:
  const KernelContext& context_;
  const int number_;
};

Status CheckConcatRanks(const ConcatInputs& inputs) {
  for (int i = 0; i < inputs.number(); ++i) {
    if (inputs[i].indices.rank() == 2) continue;
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           inputs[i].indices.shape(), " at position ", i);
  }
  for (int i = 0; i < inputs.number(); ++i) {
    if (inputs[i].values.rank() == 1) continue;
    return InvalidArgument("Input values should be a vector but received shape ",
                           inputs[i].values.shape(), " at position ", i);
  }
  for (int i = 0; i < inputs.number(); ++i) {
    if (inputs[i].shape.rank() == 1) continue;
    return InvalidArgument("Input shapes should be a vector but received shape ",
                           inputs[i].shape.shape(), " at position ", i);
  }
  return OkStatus();
}

Status CheckConcatShapes(const ConcatInputs& inputs, int axis) {
  const std::span<const int64_t> first = inputs[0].dims();
  for (int i = 1; i < inputs.number(); ++i) {
    const std::span<const int64_t> dims = inputs[i].dims();
    if (dims.size() != first.size()) {
      return InvalidArgument("Ranks of all input tensors must match: expected ", first.size(),
                             " but got ", dims.size(), " at position ", i);
    }
    for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
      if (d == axis || dims[d] == first[d]) continue;
      return InvalidArgument("Input shapes must match: expected ", first[d], " for dimension ", d,
                             " but got ", dims[d], " at position ", i);
    }
  }
  return OkStatus();
}

// Returns the dimensions of the result; the sum along `axis` is checked for overflow.
StatusOr<std::vector<int64_t>> ConcatDims(const ConcatInputs& inputs, int axis) {
  std::vector<int64_t> dims(inputs[0].dims().begin(), inputs[0].dims().end());
  for (int i = 1; i < inputs.number(); ++i) {
    if (__builtin_add_overflow(dims[axis], inputs[i].dims()[axis], &dims[axis])) {
      return Internal("Encountered overflow from large input shape.");
    }
  }
  return dims;
}

// Concatenates the elements input after input, unsorted.
struct Joined {
  Tensor indices, values;
};

StatusOr<Joined> Join(KernelContext& c, const ConcatInputs& inputs, int axis, int64_t rank) {
  int64_t count = 0;
  for (int i = 0; i < inputs.number(); ++i) count += inputs[i].count();
  RAMET_ASSIGN_OR_RETURN(Tensor indices, c.AllocateTemp(kInt64, Shape{count, rank}));
  RAMET_ASSIGN_OR_RETURN(Tensor values, c.AllocateTemp(inputs[0].values.dtype(), Shape{count}));
  int64_t at = 0, offset = 0;
  for (int i = 0; i < inputs.number(); ++i) {
    const SparseView s = inputs[i];
    CopyElements(s.indices, 0, indices, at * rank, s.count() * rank);
    CopyElements(s.values, 0, values, at, s.count());
    int64_t* rows = indices.mutable_data<int64_t>() + at * rank;
    for (int64_t k = 0; k < s.count(); ++k) {
      rows[k * rank + axis] = static_cast<int64_t>(static_cast<uint64_t>(rows[k * rank + axis]) +
                                                   static_cast<uint64_t>(offset));
    }
    at += s.count();
    offset += s.dims()[axis];
  }
  return Joined{std::move(indices), std::move(values)};
}

class SparseConcatKernel final : public Kernel {
 public:
  explicit SparseConcatKernel(int axis) : axis_(axis) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const int axis, node.attrs->Get<int>("concat_dim"));
    return std::unique_ptr<Kernel>(std::make_unique<SparseConcatKernel>(axis));
  }

  Status Compute(KernelContext& c) override {
    const ConcatInputs inputs(c);
    RAMET_RETURN_IF_ERROR(CheckConcatRanks(inputs));
    RAMET_ASSIGN_OR_RETURN(const int axis, Axis(inputs));
    RAMET_RETURN_IF_ERROR(CheckConcatShapes(inputs, axis));
    for (int i = 0; i < inputs.number(); ++i) RAMET_RETURN_IF_ERROR(CheckParts(inputs[i]));
    RAMET_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, ConcatDims(inputs, axis));
    const int rank = static_cast<int>(dims.size());
    RAMET_ASSIGN_OR_RETURN(const Joined joined, Join(c, inputs, axis, rank));
    const int64_t count = joined.values.dim(0);
    const auto order = SortedOrder(joined.indices.data<int64_t>(), count, rank);
    RAMET_ASSIGN_OR_RETURN(const SparseOutputs out,
                           AllocateSparse(c, 0, joined.values.dtype(), count, dims));
    for (int64_t i = 0; i < count; ++i) {
      CopyElements(joined.indices, order[i] * rank, *out.indices, i * rank, rank);
      CopyElements(joined.values, order[i], *out.values, i, 1);
    }
    return OkStatus();
  }

 private:
  // Also refuses shapes that TensorFlow cannot represent.
  StatusOr<int> Axis(const ConcatInputs& inputs) const {
    for (int i = 0; i < inputs.number(); ++i) {
      if (DenseShapeOf(inputs[i].dims()).ok()) continue;
      return Internal("Encountered overflow from large input shape.");
    }
    const int rank = static_cast<int>(inputs[0].dims().size());
    const int axis = axis_ < 0 ? axis_ + rank : axis_;
    if (axis >= 0 && axis < rank) return axis;
    return InvalidArgument("Concat dimension must be in range [", -rank, ", ", rank, "), got ",
                           axis_);
  }

  const int axis_;
};

Status SparseConcatShape(ShapeContext& c) {
  const int number = c.num_inputs() / 3;
  int64_t rank = Shape::kUnknownDim, count = 0;
  for (int i = 0; i < number; ++i) {
    RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(i, 2));
    RAMET_ASSIGN_OR_RETURN(const Shape values, c.WithRank(number + i, 1));
    RAMET_ASSIGN_OR_RETURN(const Shape shape, c.WithRank(2 * number + i, 1));
    RAMET_ASSIGN_OR_RETURN(const Shape rows, Shape{indices.dim(0)}.MergeWith(values));
    RAMET_ASSIGN_OR_RETURN(const Shape both, Shape{indices.dim(1)}.MergeWith(shape));
    RAMET_ASSIGN_OR_RETURN(const Shape merged, both.MergeWith(Shape{rank}));
    rank = merged.dim(0);
    count = count < 0 || rows.dim(0) < 0 ? Shape::kUnknownDim : count + rows.dim(0);
  }
  c.set_output(0, Shape{count, rank});
  c.set_output(1, Shape{count});
  c.set_output(2, Shape{rank});
  return OkStatus();
}

RAMET_OP("SparseConcat")
    .Input("indices: N * int64")
    .Input("values: N * T")
    .Input("shapes: N * int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("concat_dim: int")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Doc(
        "Concatenates sparse tensors along dimension concat_dim (negative values count from the "
        "end). The elements of the result are sorted by index. Error: the inputs are not the parts "
        "of sparse tensors; ranks or the sizes of the remaining dimensions differ; concat_dim is "
        "out of range.")
    .Shape(SparseConcatShape)
    .NotDifferentiable()
    .CpuKernelClass<SparseConcatKernel>();

}  // namespace
}  // namespace ramet
