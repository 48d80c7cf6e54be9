#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/sparse/sparse.h"

namespace ramet {
namespace {

// The requested dimensions; -1 stands for the one that follows from the others.
struct Target {
  std::vector<int64_t> dims;
  int open = -1;
  int64_t known = 1;
};

StatusOr<Target> ParseTarget(std::span<const int64_t> dims) {
  Target target{{dims.begin(), dims.end()}};
  std::vector<int64_t> known;
  for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
    if (dims[d] == -1) {
      if (target.open >= 0) {
        return InvalidArgument("only one output dimension may be -1, not both ", target.open,
                               " and ", d);
      }
      target.open = d;
      target.dims[d] = 1;
      continue;
    }
    if (dims[d] < 0) return InvalidArgument("size ", d, " must be non-negative, not ", dims[d]);
    known.push_back(dims[d]);
    RAMET_ASSIGN_OR_RETURN(const Shape shape, DenseShapeOf(known));
    target.known = shape.num_elements();
  }
  return target;
}

// Sets the open dimension for a tensor of `total` elements.
Status Resolve(Target& target, const Shape& from, int64_t total) {
  const auto texts = [&] {
    return StrCat("input_shape=", from, " output_shape=[", StrJoin(target.dims, ","), "]");
  };
  if (target.open >= 0) {
    if (target.known == 0) {
      return InvalidArgument(
          "reshape cannot infer the missing input size for an empty tensor unless all specified "
          "input sizes are non-zero");
    }
    if (total % target.known != 0) {
      return InvalidArgument("Input to reshape is a SparseTensor with ", total,
                             " dense values, but the requested shape requires a multiple of ",
                             target.known, ". ", texts());
    }
    target.dims[target.open] = total / target.known;
    return OkStatus();
  }
  if (target.known == total) return OkStatus();
  return InvalidArgument("Input to reshape is a tensor with ", total,
                         " dense values, but the requested shape has ", target.known, ". ",
                         texts());
}

// Writes the position `flat` in row-major order as an index; C++'s signs, as in TensorFlow.
void Unflatten(int64_t flat, std::span<const int64_t> dims, int64_t* row) {
  for (int d = static_cast<int>(dims.size()) - 1; d >= 0; --d) {
    row[d] = d == 0 ? flat : flat % dims[d];
    flat /= dims[d];
  }
}

Status CheckReshapeInputs(const Tensor& indices, const Tensor& shape, const Tensor& target) {
  if (indices.rank() != 2) return InvalidArgument("Input must be a matrix.");
  if (shape.rank() != 1) return InvalidArgument("Input shape must be a vector.");
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("Input tensor rank must match input shape length.");
  }
  if (target.rank() == 1) return OkStatus();
  return InvalidArgument("Target shape should be a vector but received shape ", target.shape());
}

Status WriteReshaped(KernelContext& c, const Tensor& indices, const Shape& from,
                     std::span<const int64_t> dims) {
  const int64_t count = indices.dim(0), rank = std::ssize(dims);
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, kInt64, Shape{count, rank}));
  c.SetOutput(1, Tensor::Vector(std::vector<int64_t>(dims.begin(), dims.end())));
  if (count > 0 && from.num_elements() == 0) {
    return InvalidArgument("a tensor of shape ", from, " has no elements, but ", count, " indices");
  }
  const Dims strides = RowMajorStrides(from.dims());
  for (int64_t i = 0; i < count; ++i) {
    uint64_t flat = 0;
    const int64_t* row = indices.data<int64_t>() + i * from.rank();
    for (int d = 0; d < from.rank(); ++d) {
      flat += static_cast<uint64_t>(row[d]) * static_cast<uint64_t>(strides[d]);
    }
    Unflatten(static_cast<int64_t>(flat), dims, out->mutable_data<int64_t>() + i * rank);
  }
  return OkStatus();
}

Status SparseReshape(KernelContext& c) {
  const Tensor &indices = c.input(0), &shape = c.input(1), &wanted = c.input(2);
  RAMET_RETURN_IF_ERROR(CheckReshapeInputs(indices, shape, wanted));
  RAMET_ASSIGN_OR_RETURN(const Shape from, DenseShapeOf(shape.flat<int64_t>()));
  RAMET_ASSIGN_OR_RETURN(Target target, ParseTarget(wanted.flat<int64_t>()));
  RAMET_RETURN_IF_ERROR(Resolve(target, from, from.num_elements()));
  if (std::ranges::equal(target.dims, from.dims())) {
    c.SetOutput(0, indices);
    c.SetOutput(1, shape);
    return OkStatus();
  }
  return WriteReshaped(c, indices, from, target.dims);
}

Status SparseReshapeShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(0, 2));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_ASSIGN_OR_RETURN(const Shape target, c.WithRank(2, 1));
  c.set_output(0, Shape{indices.dim(0), target.dim(0)});
  c.set_output(1, Shape{target.dim(0)});
  return OkStatus();
}

RAMET_OP("SparseReshape")
    .Input("input_indices: int64")
    .Input("input_shape: int64")
    .Input("new_shape: int64")
    .Output("output_indices: int64")
    .Output("output_shape: int64")
    .HostMemory({"input_shape", "new_shape", "output_shape"})
    .Doc(
        "Returns the indices and the shape of a sparse tensor after a reshape. One dimension of "
        "new_shape may be -1; it is computed from the others. Error: the inputs are not a matrix "
        "and vectors; the number of elements differs; the -1 cannot be computed.")
    .Shape(SparseReshapeShape)
    .CpuKernel(SparseReshape);

}  // namespace
}  // namespace ramet
