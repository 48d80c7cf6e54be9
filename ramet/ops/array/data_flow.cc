#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/indices.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

// Checks the inputs of DynamicStitch: N index tensors, then N data tensors. data[i] has the shape
// of indices[i] followed by the shape of a row, which is stored in `row`.
Status CheckStitch(KernelContext& c, int n, Shape* row) {
  for (int i = 0; i < n; ++i) {
    const Shape &indices = c.input(i).shape(), &data = c.input(n + i).shape();
    if (data.rank() < indices.rank() || !(data.Slice(0, indices.rank()) == indices)) {
      return InvalidArgument("data[", i, "].shape = ", data, " does not start with indices[", i,
                             "].shape = ", indices);
    }
    const Shape rest = data.Slice(indices.rank(), data.rank());
    if (i == 0) *row = rest;
    if (!(rest == *row)) {
      return InvalidArgument(
          "Need data[0].shape[", c.input(0).rank(), ":] = data[", i, "].shape[", indices.rank(),
          ":], got data[0].shape = ", c.input(n).shape(), ", data[", i, "].shape = ", data,
          ", indices[0].shape = ", c.input(0).shape(), ", indices[", i, "].shape = ", indices);
    }
  }
  return OkStatus();
}

int64_t LargestIndex(KernelContext& c, int n) {
  int32_t largest = -1;
  for (int i = 0; i < n; ++i) {
    for (int32_t at : c.input(i).flat<int32_t>()) largest = std::max(largest, at);
  }
  return largest;
}

Status DynamicStitch(KernelContext& c) {
  const int n = c.num_inputs() / 2;
  Shape row;
  RAMET_RETURN_IF_ERROR(CheckStitch(c, n, &row));
  const int64_t rows = LargestIndex(c, n) + 1;
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(Shape{rows}.Concatenate(row).dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * merged, c.Allocate(0, c.input(n).dtype(), shape));
  RAMET_RETURN_IF_ERROR(FillZeros(*merged));
  const int64_t size = row.num_elements();
  for (int i = 0; i < n; ++i) {
    const auto indices = c.input(i).flat<int32_t>();
    for (size_t j = 0; j < indices.size(); ++j) {
      if (indices[j] < 0) return InvalidArgument("indices[", i, "] is out of range: ", indices[j]);
      CopyElements(c.input(n + i), j * size, *merged, indices[j] * size, size);
    }
  }
  return OkStatus();
}

Status DynamicStitchShape(ShapeContext& c) {
  const int n = c.num_inputs() / 2;
  Shape row = Shape::Unknown();
  int64_t largest = -1;
  bool known = true;
  for (int i = 0; i < n; ++i) {
    const Shape &indices = c.input(i), &data = c.input(n + i);
    const Tensor* values = c.constant(i);
    known = known && values != nullptr;
    for (int64_t j = 0; known && j < values->num_elements(); ++j) {
      largest = std::max(largest, IntegerAt(*values, j));
    }
    if (indices.unknown_rank() || data.unknown_rank()) continue;
    if (data.rank() < indices.rank() || !data.Slice(0, indices.rank()).IsCompatibleWith(indices)) {
      return InvalidArgument("data[", i, "].shape = ", data, " does not start with indices[", i,
                             "].shape = ", indices);
    }
    RAMET_ASSIGN_OR_RETURN(row, row.MergeWith(data.Slice(indices.rank(), data.rank())));
  }
  c.set_output(0, Shape{known ? largest + 1 : Shape::kUnknownDim}.Concatenate(row));
  return OkStatus();
}

Status DynamicStitchGradient(GradientContext& c) {
  const int n = c.num_inputs() / 2;
  std::vector<Gradient> grads(n);
  for (int i = 0; i < n; ++i) {
    grads.push_back(c.Add("GatherV2", {c.grad(), c.input(i), Tensor(int32_t{0})}));
  }
  return c.Return(std::move(grads));
}

Status CheckPartitions(const Shape& data, const Shape& partitions) {
  if (partitions.rank() <= data.rank() &&
      data.Slice(0, partitions.rank()).IsCompatibleWith(partitions)) {
    return OkStatus();
  }
  return InvalidArgument("data.shape must start with partitions.shape, got data.shape = ", data,
                         ", partitions.shape = ", partitions);
}

Status DynamicPartition(KernelContext& c) {
  const Tensor &data = c.input(0), &partitions = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckPartitions(data.shape(), partitions.shape()));
  const int n = c.num_outputs();
  std::vector<int64_t> counts(n, 0);
  const auto parts = partitions.flat<int32_t>();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] < 0 || parts[i] >= n) return IndexOutside(partitions, i, n, "partitions");
    ++counts[parts[i]];
  }
  const Shape row = data.shape().Slice(partitions.rank(), data.rank());
  std::vector<Tensor*> outputs(n);
  for (int i = 0; i < n; ++i) {
    RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(Shape{counts[i]}.Concatenate(row).dims()));
    RAMET_ASSIGN_OR_RETURN(outputs[i], c.Allocate(i, data.dtype(), shape));
  }
  const int64_t size = row.num_elements();
  std::ranges::fill(counts, 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    CopyElements(data, i * size, *outputs[parts[i]], counts[parts[i]]++ * size, size);
  }
  return OkStatus();
}

Status DynamicPartitionShape(ShapeContext& c) {
  const Shape &data = c.input(0), &partitions = c.input(1);
  if (data.unknown_rank() || partitions.unknown_rank()) return OkStatus();
  RAMET_RETURN_IF_ERROR(CheckPartitions(data, partitions));
  const Shape part = Shape::OfRank(1).Concatenate(data.Slice(partitions.rank(), data.rank()));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, part);
  return OkStatus();
}

// Partitions the row numbers in the same way as the rows; stitching by these numbers puts the
// gradients back in order.
Status DynamicPartitionGradient(GradientContext& c) {
  const int64_t n = c.num_outputs();
  const Output shape = ShapeOf(c, c.input(1));
  const Output count = c.Add("Prod", {shape, Tensor::Vector<int32_t>({0})});
  const Output numbers =
      c.Add("Range", {Tensor(int32_t{0}), count, Tensor(int32_t{1})}, {}, "range");
  const Operation where =
      c.AddOperation("DynamicPartition", {c.Add("Reshape", {numbers, shape}), c.input(1)},
                     {{"num_partitions", n}});
  std::vector<Input> inputs;
  for (int i = 0; i < n; ++i) inputs.emplace_back(where.output(i));
  for (int i = 0; i < n; ++i) inputs.emplace_back(c.grad(i));
  const Output rows = c.Add("ParallelDynamicStitch", inputs, {{"N", n}});
  return c.Return({ReshapeLike(c, rows, c.input(0)), Gradient()});
}

constexpr char kStitchDoc[] =
    "Interleaves the rows of all `data` tensors into one tensor: row data[i][j] goes to row "
    "indices[i][j] of the result. The shape of data[i] is the shape of indices[i] followed by the "
    "shape of a row, which is the same for all. The result has one more row than the largest "
    "index. If an index occurs more than once, the last row wins; rows without an index are zeros. "
    "Error: an index is negative; the shapes are not of this form.";

}  // namespace

RAMET_OP("DynamicStitch")
    .Foldable()
    .Input("indices: N * int32")
    .Input("data: N * T")
    .Output("merged: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Doc(kStitchDoc)
    .HostMemory({"indices"})
    .Shape(DynamicStitchShape)
    .Gradient(DynamicStitchGradient)
    .CpuKernel(DynamicStitch);

RAMET_OP("ParallelDynamicStitch")
    .Foldable()
    .Input("indices: N * int32")
    .Input("data: N * T")
    .Output("merged: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Doc(kStitchDoc)
    .HostMemory({"indices"})
    .Shape(DynamicStitchShape)
    .Gradient(DynamicStitchGradient)
    .CpuKernel(DynamicStitch);

RAMET_OP("DynamicPartition")
    .Foldable()
    .Input("data: T")
    .Input("partitions: int32")
    .Output("outputs: num_partitions * T")
    .Attr("num_partitions: int >= 1")
    .Attr("T: type")
    .Doc(
        "Splits the rows of `data` into num_partitions tensors and keeps their order: row i goes "
        "to output partitions[i]. The shape of `data` starts with the shape of `partitions`; the "
        "remaining dimensions are the shape of a row. Error: a partition is outside [0, "
        "num_partitions); the shape of `data` does not start with that of `partitions`.")
    .Shape(DynamicPartitionShape)
    .Gradient(DynamicPartitionGradient)
    .CpuKernel(DynamicPartition);

}  // namespace ramet
