#include <limits>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/indices.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

// The consecutive rows or values that one index selects.
struct Selected {
  int64_t begin, end;
};

// Checks that splits ascend and stay within the `below` rows or values of the next level.
Status CheckGatherSplits(const Tensor& splits, int64_t below) {
  const int64_t size = splits.num_elements();
  if (splits.rank() != 1 || size == 0) return InvalidArgument("Ragged splits may not be empty");
  if (IntegerAt(splits, 0) < 0) return InvalidArgument("Ragged splits must be non-negative");
  if (IntegerAt(splits, size - 1) > below) {
    return InvalidArgument("Ragged splits must not point past values");
  }
  for (int64_t i = 1; i < size; ++i) {
    if (IntegerAt(splits, i) < IntegerAt(splits, i - 1)) {
      return InvalidArgument("Ragged splits must be sorted");
    }
  }
  return OkStatus();
}

Status CheckParams(const KernelContext& c, int levels) {
  const Tensor& values = c.input(levels);
  if (values.rank() == 0) return InvalidArgument("params.rank must be nonzero");
  for (int i = 0; i < levels; ++i) {
    const int64_t below = i + 1 < levels ? c.input(i + 1).num_elements() - 1 : values.dim(0);
    RAMET_RETURN_IF_ERROR(CheckGatherSplits(c.input(i), below));
  }
  return OkStatus();
}

StatusOr<std::vector<Selected>> SelectRows(const Tensor& indices, int64_t rows) {
  std::vector<Selected> selected(indices.num_elements());
  for (int64_t i = 0; i < std::ssize(selected); ++i) {
    const int64_t row = IntegerAt(indices, i);
    if (row < 0 || row >= rows) return IndexOutside(indices, i, rows);
    selected[i] = {row, row + 1};
  }
  return selected;
}

// Returns the number of selected rows or values.
// \error kInvalidArgument: it is greater than `limit`.
StatusOr<int64_t> CountSelected(const std::vector<Selected>& selected, int64_t limit) {
  int64_t total = 0;
  for (const Selected& s : selected) {
    if (s.end - s.begin > limit - total) {
      return InvalidArgument("the indices select more rows than the dtype of the splits can count");
    }
    total += s.end - s.begin;
  }
  return total;
}

// Writes the splits of the dimensions of `indices` below the first, whose rows have equal lengths.
template <class T>
Status WriteUniformSplits(KernelContext& c, const Shape& indices) {
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    const int64_t rows = Product(indices, 0, d + 1), length = indices.dim(d + 1);
    if (length > 0 && rows > std::numeric_limits<T>::max() / length) {
      return InvalidArgument("there are more indices than the dtype of the splits can count");
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * splits, c.Allocate(d, DTypeOf<T>::value, Shape{rows + 1}));
    for (int64_t r = 0; r <= rows; ++r) {
      splits->mutable_data<T>()[r] = static_cast<T>(r * length);
    }
  }
  return OkStatus();
}

// Writes the splits of the selected rows to output `out`, or nowhere if it is negative, and
// replaces the rows by the rows or values of the next level that they consist of.
template <class T>
Status GatherLevel(KernelContext& c, const Tensor& splits, int out, std::vector<Selected>* rows) {
  constexpr int64_t kMax = std::numeric_limits<T>::max();
  const T* bounds = splits.data<T>();
  T* written = nullptr;
  if (out >= 0) {
    RAMET_ASSIGN_OR_RETURN(const int64_t count, CountSelected(*rows, kMax - 1));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(out, DTypeOf<T>::value, Shape{count + 1}));
    written = y->mutable_data<T>();
    *written++ = 0;
  }
  int64_t total = 0;
  for (Selected& s : *rows) {
    const Selected next{bounds[s.begin], bounds[s.end]};
    if (next.end - next.begin > kMax - total)
      return CountSelected({{0, kMax}, next}, kMax).status();
    for (int64_t r = s.begin; written != nullptr && r < s.end; ++r) {
      *written++ = static_cast<T>(total + bounds[r + 1] - next.begin);
    }
    total += next.end - next.begin;
    s = next;
  }
  return OkStatus();
}

Status GatherValues(KernelContext& c, const Tensor& values, const std::vector<Selected>& rows) {
  RAMET_ASSIGN_OR_RETURN(const int64_t count,
                         CountSelected(rows, std::numeric_limits<int64_t>::max()));
  Shape shape = values.shape();
  shape.set_dim(0, count);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(c.num_outputs() - 1, values.dtype(), shape));
  const int64_t inner = Product(values.shape(), 1, values.rank());
  int64_t at = 0;
  for (const Selected& s : rows) {
    const int64_t n = (s.end - s.begin) * inner;
    if (n > 0) CopyElements(values, s.begin * inner, *y, at, n);
    at += n;
  }
  return OkStatus();
}

template <class T>
Status RaggedGather(KernelContext& c) {
  const int levels = c.num_inputs() - 2;
  const Tensor& indices = c.input(levels + 1);
  if (c.num_outputs() != indices.rank() + levels) {
    return InvalidArgument("OUTPUT_RAGGED_RANK must be indices.rank + PARAMS_RAGGED_RANK - 1");
  }
  RAMET_ASSIGN_OR_RETURN(std::vector<Selected> rows,
                         SelectRows(indices, c.input(0).num_elements() - 1));
  RAMET_RETURN_IF_ERROR(CheckParams(c, levels));
  RAMET_RETURN_IF_ERROR(WriteUniformSplits<T>(c, indices.shape()));
  for (int i = 0; i < levels; ++i) {
    RAMET_RETURN_IF_ERROR(GatherLevel<T>(c, c.input(i), indices.rank() - 1 + i, &rows));
  }
  return GatherValues(c, c.input(levels), rows);
}

Status RaggedGatherShape(ShapeContext& c) {
  const int levels = c.num_inputs() - 2, outputs = c.num_outputs();
  RAMET_RETURN_IF_ERROR(c.WithRank(levels + 1, outputs - levels).status());
  for (int i = 0; i < levels; ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  RAMET_ASSIGN_OR_RETURN(Shape values, c.WithRankAtLeast(levels, 1));
  for (int i = 0; i + 1 < outputs; ++i) c.set_output(i, Shape{Shape::kUnknownDim});
  if (!values.unknown_rank()) values.set_dim(0, Shape::kUnknownDim);
  c.set_output(outputs - 1, values);
  return OkStatus();
}

// The gradient of the values is sparse: one row for each value that was selected.
Status RaggedGatherGradient(GradientContext& c) {
  const int levels = c.num_inputs() - 2;
  const Tensor axis(int32_t{0});
  Output splits = c.input(0);
  for (int i = 1; i < levels; ++i) splits = c.Add("GatherV2", {c.input(i), splits, axis});
  const int64_t all[] = {-1};
  const Output rows = Reshape(c, c.input(levels + 1), all);
  const Output from = c.Add("GatherV2", {splits, rows, axis});
  const Output to = c.Add("GatherV2", {SliceFrom(c, splits, 1), rows, axis});
  const Output step = ScalarLike(c, from.dtype(), 1);
  std::vector<Gradient> grads(c.num_inputs());
  Gradient& grad = grads[levels];
  grad.values = c.grad(c.num_outputs() - 1);
  grad.indices = c.AddOperation("RaggedRange", {from, to, step}).output(1);
  grad.dense_shape = ShapeOf(c, c.input(levels));
  return c.Return(std::move(grads));
}

RAMET_OP("RaggedGather")
    .Input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits")
    .Input("params_dense_values: Tvalues")
    .Input("indices: Tindices")
    .Output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits")
    .Output("output_dense_values: Tvalues")
    .Attr("Tvalues: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tsplits: {int32, int64} = int64")
    .Attr("PARAMS_RAGGED_RANK: int >= 1")
    .Attr("OUTPUT_RAGGED_RANK: int >= 0")
    .Doc(
        "Returns the rows of a ragged tensor, given by the splits of its ragged dimensions and its "
        "values, at `indices`. The dimensions of `indices` below the first become ragged "
        "dimensions whose rows have equal lengths. Error: an index is out of range; splits are not "
        "ascending vectors within the rows below; OUTPUT_RAGGED_RANK is not the rank of `indices` "
        "plus PARAMS_RAGGED_RANK - 1.")
    .Shape(RaggedGatherShape)
    .Gradient(RaggedGatherGradient)
    .CpuKernels<int32_t, int64_t>([]<class T>(KernelContext& c) { return RaggedGather<T>(c); },
                                  "Tsplits");

}  // namespace
}  // namespace ramet
