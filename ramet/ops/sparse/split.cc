#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/sparse/sparse.h"

namespace ramet {
namespace {

// Divides `size` positions into `parts` consecutive ranges. The first ones are one longer if the
// size is not divisible.
struct Division {
  int64_t size, parts;

  int64_t length(int64_t part) const { return size / parts + (part < size % parts ? 1 : 0); }
  int64_t start(int64_t part) const { return part * (size / parts) + std::min(part, size % parts); }
  int64_t part_of(int64_t position) const {
    const int64_t longer = size / parts + 1, extra = size % parts;
    if (position < extra * longer) return position / longer;
    return extra + (position - extra * longer) / (size / parts);
  }
};

StatusOr<int> SplitAxis(const Tensor& axis, int rank) {
  if (axis.rank() != 0) {
    return InvalidArgument("Input axis should be a scalar but received shape ", axis.shape());
  }
  const int64_t asked = axis.scalar<int64_t>();
  if (asked >= -rank && asked < rank) return static_cast<int>(asked < 0 ? asked + rank : asked);
  return InvalidArgument("Input axis should be in range [", -rank, ", ", rank, "), got ", asked);
}

Status CheckSplitRanks(const SparseView& s) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           s.indices.shape());
  }
  // TensorFlow prints the shape of the indices here.
  if (s.values.rank() != 1) {
    return InvalidArgument("Input values should be a vector but received shape ",
                           s.indices.shape());
  }
  if (s.shape.rank() != 1) {
    return InvalidArgument("Input shape should be a vector but received shape ", s.shape.shape());
  }
  return OkStatus();
}

Status WriteParts(KernelContext& c, const SparseView& s, int axis, const Division& division) {
  const int parts = static_cast<int>(division.parts), rank = s.rank();
  std::vector<int64_t> counts(parts);
  for (int64_t i = 0; i < s.count(); ++i) ++counts[division.part_of(s.row(i)[axis])];
  std::vector<Tensor*> indices(parts), values(parts);
  std::vector<int64_t> dims(s.dims().begin(), s.dims().end());
  for (int p = 0; p < parts; ++p) {
    RAMET_ASSIGN_OR_RETURN(indices[p], c.Allocate(p, kInt64, Shape{counts[p], rank}));
    RAMET_ASSIGN_OR_RETURN(values[p], c.Allocate(parts + p, s.values.dtype(), Shape{counts[p]}));
    dims[axis] = division.length(p);
    c.SetOutput(2 * parts + p, Tensor::Vector(dims));
  }
  std::vector<int64_t> written(parts);
  for (int64_t i = 0; i < s.count(); ++i) {
    const int64_t p = division.part_of(s.row(i)[axis]), at = written[p]++;
    CopyElements(s.values, i, *values[p], at, 1);
    CopyElements(s.indices, i * rank, *indices[p], at * rank, rank);
    indices[p]->mutable_data<int64_t>()[at * rank + axis] -= division.start(p);
  }
  return OkStatus();
}

class SparseSplitKernel final : public Kernel {
 public:
  explicit SparseSplitKernel(int parts) : parts_(parts) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const int parts, node.attrs->Get<int>("num_split"));
    return std::unique_ptr<Kernel>(std::make_unique<SparseSplitKernel>(parts));
  }

  Status Compute(KernelContext& c) override {
    const SparseView s = SparseInputs(c, 1);
    RAMET_RETURN_IF_ERROR(CheckSplitRanks(s));
    RAMET_RETURN_IF_ERROR(ValidateUnordered(s));
    RAMET_ASSIGN_OR_RETURN(const int axis, SplitAxis(c.input(0), s.rank()));
    const int64_t size = s.dims()[axis];
    if (parts_ < 1 || parts_ > size) {
      return InvalidArgument(
          "Input num_split should be between 1 and the splitting dimension size (", size, "), got ",
          parts_);
    }
    for (const int64_t d : s.dims()) {
      if (d < 0) return InvalidArgument("Expected a non-negative size, got ", d);
    }
    RAMET_RETURN_IF_ERROR(DenseShapeOf(s.dims()).status());
    return WriteParts(c, s, axis, {size, parts_});
  }

 private:
  const int parts_;
};

Status SparseSplitShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const int parts, c.attr<int>("num_split"));
  const Shape& shape = c.input(3);
  const int64_t rank = shape.rank() == 1 ? shape.dim(0) : Shape::kUnknownDim;
  for (int p = 0; p < parts; ++p) {
    c.set_output(p, Shape{Shape::kUnknownDim, rank});
    c.set_output(parts + p, Shape{Shape::kUnknownDim});
    c.set_output(2 * parts + p, shape);
  }
  return OkStatus();
}

RAMET_OP("SparseSplit")
    .Input("split_dim: int64")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Output("output_indices: num_split * int64")
    .Output("output_values: num_split * T")
    .Output("output_shape: num_split * int64")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .HostMemory({"split_dim"})
    .Doc(
        "Splits a sparse tensor into num_split sparse tensors along dimension split_dim, a scalar "
        "(negative values count from the end). If the size is not divisible, the first parts are "
        "larger by 1. Error: the inputs are not the parts of a sparse tensor; an index is out of "
        "bounds; split_dim is out of range; num_split is larger than the dimension.")
    .Shape(SparseSplitShape)
    .CpuKernelClass<SparseSplitKernel>();

}  // namespace
}  // namespace ramet
