#include <algorithm>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

// Checks the splits of each level: they start at 0, ascend, and end at the number of rows below.
Status CheckNestedSplits(const KernelContext& c) {
  const int levels = c.num_inputs() - 1;
  const Tensor& values = c.input(levels);
  for (int i = 0; i < levels; ++i) {
    const Tensor& splits = c.input(i);
    const int64_t size = splits.num_elements();
    if (size == 0) return InvalidArgument("ragged splits may not be empty.");
    if (splits.rank() != 1) {
      return InvalidArgument("ragged splits must be a vector, but have shape ", splits.shape());
    }
    if (IntegerAt(splits, 0) != 0) {
      return InvalidArgument("First value of ragged splits must be 0.");
    }
    for (int64_t k = 1; k < size; ++k) {
      const int64_t a = IntegerAt(splits, k - 1), b = IntegerAt(splits, k);
      if (a > b) {
        return InvalidArgument("Ragged splits should be non decreasing, but we got ", a,
                               " followed by ", b);
      }
    }
    const int64_t below = i + 1 < levels      ? c.input(i + 1).num_elements() - 1
                          : values.rank() > 0 ? values.dim(0)
                                              : -1;
    if (IntegerAt(splits, size - 1) != below) {
      return InvalidArgument(
          "Final value of ragged splits must match the length the corresponding ragged values.");
    }
  }
  return OkStatus();
}

// Writes the coordinates of the values in all ragged dimensions, [values, levels + 1].
std::vector<int64_t> RaggedCoordinates(const KernelContext& c, std::vector<int64_t>& dims) {
  const int levels = c.num_inputs() - 1;
  const int64_t count = c.input(levels).dim(0);
  std::vector<int64_t> rows(count * (levels + 1)), parent(count), within(count);
  for (int64_t i = 0; i < count; ++i) parent[i] = i;
  dims.assign(levels + 1, 0);
  dims[0] = c.input(0).num_elements() - 1;
  for (int level = levels - 1; level >= 0; --level) {
    const Tensor& splits = c.input(level);
    std::vector<int64_t> row_of(IntegerAt(splits, splits.num_elements() - 1));
    for (int64_t r = 0; r + 1 < splits.num_elements(); ++r) {
      const int64_t begin = IntegerAt(splits, r), end = IntegerAt(splits, r + 1);
      dims[level + 1] = std::max(dims[level + 1], end - begin);
      std::fill(row_of.begin() + begin, row_of.begin() + end, r);
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = row_of[parent[i]];
      rows[i * (levels + 1) + level + 1] = parent[i] - IntegerAt(splits, row);
      parent[i] = row;
    }
  }
  for (int64_t i = 0; i < count; ++i) rows[i * (levels + 1)] = parent[i];
  return rows;
}

Status RaggedTensorToSparse(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckNestedSplits(c));
  const int levels = c.num_inputs() - 1;
  const Tensor& values = c.input(levels);
  std::vector<int64_t> dims;
  const std::vector<int64_t> rows = RaggedCoordinates(c, dims);
  dims.insert(dims.end(), values.shape().dims().begin() + 1, values.shape().dims().end());
  const int64_t rank = std::ssize(dims), count = values.num_elements();
  const int64_t inner = Product(values.shape(), 1, values.rank());
  RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(0, kInt64, Shape{count, rank}));
  c.SetOutput(1, values.Reshaped(Shape{count}));
  c.SetOutput(2, Tensor::Vector(dims));
  int64_t* out = indices->mutable_data<int64_t>();
  for (int64_t i = 0; i < count; ++i, out += rank) {
    std::copy_n(rows.data() + i / inner * (levels + 1), levels + 1, out);
    int64_t rest = i % inner;
    for (int64_t d = rank - 1; d > levels; --d) {
      out[d] = rest % dims[d];
      rest /= dims[d];
    }
  }
  return OkStatus();
}

Status RaggedTensorToSparseShape(ShapeContext& c) {
  const int levels = c.num_inputs() - 1;
  for (int i = 0; i < levels; ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  RAMET_ASSIGN_OR_RETURN(const Shape values, c.WithRankAtLeast(levels, 1));
  const int64_t rank = values.unknown_rank() ? Shape::kUnknownDim : values.rank() + levels;
  const int64_t count = values.unknown_rank() ? Shape::kUnknownDim : values.num_elements();
  c.set_output(0, Shape{count, rank});
  c.set_output(1, Shape{count});
  c.set_output(2, Shape{rank});
  return OkStatus();
}

// The values are only reshaped.
Status RaggedTensorToSparseGradient(GradientContext& c) {
  const int levels = c.num_inputs() - 1;
  std::vector<Gradient> grads(c.num_inputs());
  const Output grad = c.grad(1);
  grads[levels] = Reshape(c, grad, ShapeOf(c, c.input(levels)));
  return c.Return(std::move(grads));
}

RAMET_OP("RaggedTensorToSparse")
    .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
    .Input("rt_dense_values: T")
    .Output("sparse_indices: int64")
    .Output("sparse_values: T")
    .Output("sparse_dense_shape: int64")
    .Attr("RAGGED_RANK: int >= 1")
    .Attr("T: type")
    .Attr("Tsplits: {int32, int64} = int64")
    .Doc(
        "Returns a ragged tensor, given by the splits of its ragged dimensions and its values, as "
        "a sparse tensor. Error: splits are not vectors that start at 0, ascend and end at the "
        "number of rows below.")
    .Shape(RaggedTensorToSparseShape)
    .Gradient(RaggedTensorToSparseGradient)
    .CpuKernel(RaggedTensorToSparse);

}  // namespace
}  // namespace ramet
