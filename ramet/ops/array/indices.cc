#include "ramet/ops/array/indices.h"

#include "ramet/linalg/cast.h"

namespace ramet {

std::string Coordinates(const Shape& shape, int64_t at) {
  Dims coordinates(std::max(shape.rank(), 0), 0);
  for (int d = shape.rank() - 1; d >= 0; --d) {
    coordinates[d] = at % shape.dim(d);
    at /= shape.dim(d);
  }
  return StrJoin(coordinates, ",");
}

Status IndexOutside(const Tensor& indices, int64_t at, int64_t limit, std::string_view name) {
  const std::string where =
      indices.rank() == 0 ? "" : StrCat("[", Coordinates(indices.shape(), at), "]");
  return InvalidArgument(name, where, " = ", IntegerAt(indices, at), " is not in [0, ", limit, ")");
}

StatusOr<Tensor> WithIndexType(const Tensor& indices, DType type) {
  if (indices.dtype() == type) return indices;
  RAMET_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(type, indices.shape()));
  linalg::Cast(LinalgType(indices.dtype()), indices.raw_data(), LinalgType(type), copy.raw_data(),
               indices.num_elements());
  return copy;
}

StatusOr<NdIndex> NdIndex::Make(const Tensor& indices, const Shape& shape) {
  if (indices.rank() < 1) return InvalidArgument("indices must be at least a vector");
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > shape.rank()) {
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: ", depth,
                           " vs. ", shape.rank());
  }
  NdIndex index;
  index.indices_ = &indices;
  index.depth_ = static_cast<int>(depth);
  index.num_tuples_ = Product(indices.shape(), 0, indices.rank() - 1);
  index.slice_size_ = Product(shape, index.depth_, shape.rank());
  // With no indices to check and no elements to move, there is nothing to do, however many tuples
  // there are.
  if (indices.num_elements() == 0 && index.slice_size_ == 0) index.num_tuples_ = 0;
  for (int d = 0; d < index.depth_; ++d) index.dims_.Append(shape.dim(d));
  return index;
}

Status NdIndex::Outside(int64_t i, std::string_view target, const Shape& shape) const {
  Dims tuple;
  for (int d = 0; d < depth_; ++d) tuple.Append(IntegerAt(*indices_, i * depth_ + d));
  const Shape outer = indices_->shape().Slice(0, indices_->rank() - 1);
  return InvalidArgument("indices[", Coordinates(outer, i), "] = [", StrJoin(tuple, ", "),
                         "] does not index into ", target, " ", shape);
}

}  // namespace ramet
