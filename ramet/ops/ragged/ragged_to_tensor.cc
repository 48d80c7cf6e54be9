#include <algorithm>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/ragged/padded_shape.h"
#include "ramet/ops/ragged/row_partition.h"

namespace ramet {
namespace {

// A PaddedCopy copies the values of a ragged tensor into a dense tensor that is filled already.
class PaddedCopy {
 public:
  PaddedCopy(std::span<const RowPartition> levels, const Tensor& values, Tensor& y)
      : levels_(levels),
        values_(values),
        y_(y),
        inner_(Product(values.shape(), 1, values.rank())) {}

  // Copies rows [begin, end) of a level to the places of dimension `level` that start at `place`.
  // Work is limited by the number of places.
  void Rows(int level, int64_t begin, int64_t end, int64_t place) const {
    end = begin + std::min(end - begin, y_.dim(level));
    for (int64_t row = begin; row < end; ++row, ++place) {
      const auto [first, last] = levels_[level].Row(row);
      const int64_t below = place * y_.dim(level + 1);
      if (level + 1 < std::ssize(levels_)) {
        Rows(level + 1, first, last, below);
      } else {
        const int64_t count = std::min(last - first, y_.dim(level + 1));
        if (count > 0) CopyElements(values_, first * inner_, y_, below * inner_, count * inner_);
      }
    }
  }

 private:
  const std::span<const RowPartition> levels_;
  const Tensor& values_;
  Tensor& y_;
  const int64_t inner_;
};

// Sets all elements to the default value, which is broadcast over the leading dimensions.
Status FillWithDefault(const Tensor& value, Tensor& y) {
  Dims strides(y.rank(), 0);
  const Dims dense = RowMajorStrides(value.shape().dims());
  for (int d = 0; d < value.rank(); ++d) {
    if (value.dim(d) > 1) strides[y.rank() - value.rank() + d] = dense[d];
  }
  return MoveStrided(value, 0, strides, y, 0, RowMajorStrides(y.shape().dims()), y.shape().dims());
}

class RaggedTensorToTensorKernel final : public Kernel {
 public:
  explicit RaggedTensorToTensorKernel(PartitionTypes types) : types_(std::move(types)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(PartitionTypes types, PartitionTypes::Of(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<RaggedTensorToTensorKernel>(std::move(types)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& values = c.input(1);
    const Tensor& fallback = c.input(2);
    RAMET_ASSIGN_OR_RETURN(const RowPartitions rows, ReadPartitions(c, types_, 3));
    RAMET_RETURN_IF_ERROR(CheckDefaultShape(fallback.shape(), values.shape()));
    RAMET_RETURN_IF_ERROR(rows.Check(values.dim(0)));
    Shape widths{rows.first_dim};
    for (const RowPartition& level : rows.levels) widths.Append(level.MaxWidth());
    for (int d = 1; d < values.rank(); ++d) widths.Append(values.dim(d));
    RAMET_ASSIGN_OR_RETURN(const Shape asked, ShapeArgument(c.input(0), widths.rank()));
    RAMET_RETURN_IF_ERROR(CheckPaddedShape(asked, types_.ragged_rank(), values.shape()));
    for (int d = 0; d < asked.rank(); ++d) {
      if (asked.dim(d) >= 0) widths.set_dim(d, asked.dim(d));
    }
    RAMET_RETURN_IF_ERROR(widths.Validate());
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, values.dtype(), widths));
    if (y->num_elements() == 0) return OkStatus();
    RAMET_RETURN_IF_ERROR(rows.CheckNoSpareRows());
    RAMET_RETURN_IF_ERROR(FillWithDefault(fallback, *y));
    PaddedCopy(rows.levels, values, *y).Rows(0, 0, rows.first_dim, 0);
    return OkStatus();
  }

 private:
  // Returns the shape that the program asks for; -1 is any size.
  static StatusOr<Shape> ShapeArgument(const Tensor& shape, int rank) {
    if (shape.rank() == 0) {
      if (IntegerAt(shape, 0) == -1) return Shape::OfRank(rank);
      return InvalidArgument(
          "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
    }
    if (shape.rank() != 1) return InvalidArgument("Shape must be a vector");
    RAMET_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, IntegerValues(shape));
    return Shape::Make(dims);
  }

  const PartitionTypes types_;
};

Status RaggedTensorToTensorShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const PartitionTypes types, PartitionTypes::Of(c.attrs()));
  RAMET_RETURN_IF_ERROR(types.CheckCount(c.num_inputs() - 3));
  for (int i = 3; i < c.num_inputs(); ++i) {
    RAMET_RETURN_IF_ERROR(types.CheckRank(i - 3, c.input(i).rank()));
  }
  RAMET_ASSIGN_OR_RETURN(const Shape asked, AskedShape(c, 0));
  const Shape& values = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckPaddedShape(asked, types.ragged_rank(), values));
  RAMET_RETURN_IF_ERROR(CheckDefaultShape(c.input(2), values));
  Shape y = values.unknown_rank() ? asked : Shape::OfRank(types.ragged_rank() + values.rank());
  for (int d = 1; d < values.rank(); ++d) y.set_dim(types.ragged_rank() + d, values.dim(d));
  RAMET_ASSIGN_OR_RETURN(y, y.MergeWith(asked));
  c.set_output(0, y);
  return OkStatus();
}

RAMET_OP("RaggedTensorToTensor")
    .Input("shape: Tshape")
    .Input("values: T")
    .Input("default_value: T")
    .Input("row_partition_tensors: num_row_partition_tensors * Tindex")
    .Output("result: T")
    .Attr("T: type")
    .Attr("Tindex: {int64, int32}")
    .Attr("Tshape: {int64, int32}")
    .Attr("num_row_partition_tensors: int >= 1")
    .Attr("row_partition_types: list(string)")
    .Doc(
        "Returns a ragged tensor as a dense tensor of a shape whose sizes may be -1 (as large as "
        "needed). Longer rows are cut off, and shorter rows are padded with default_value, which "
        "is broadcast. Each ragged dimension is given by its splits (ROW_SPLITS), or by the row of "
        "each value (VALUE_ROWIDS), the first one then after the number of rows (FIRST_DIM_SIZE). "
        "Error: row_partition_types are not such a list; a partition does not fit the rows or "
        "values around it; shapes are incompatible.")
    .HostMemory({"shape", "row_partition_tensors"})
    .Shape(RaggedTensorToTensorShape)
    .Gradient(RaggedTensorToTensorGradient)
    .CpuKernelClass<RaggedTensorToTensorKernel>();

}  // namespace
}  // namespace ramet
