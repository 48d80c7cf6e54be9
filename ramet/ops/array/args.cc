#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

template <class T>
int64_t At(const Tensor& t, int64_t i) {
  return static_cast<int64_t>(static_cast<const T*>(t.raw_data())[i]);
}

// The definitions of some ops do not restrict the dtype of a shape.
Status CheckIsInteger(const Tensor& t, std::string_view name, std::string_view kind) {
  if (IsInteger(t.dtype())) return OkStatus();
  return InvalidArgument(name, " must be a ", kind, " of {int32,int64}. Its dtype is ",
                         DTypeName(t.dtype()));
}

}  // namespace

Dims RowMajorStrides(std::span<const int64_t> shape) {
  const int rank = static_cast<int>(shape.size());
  Dims strides(rank, 1);
  for (int i = rank - 2; i >= 0; --i) strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

int64_t Product(const Shape& shape, int begin, int end) {
  int64_t product = 1;
  for (int i = begin; i < end; ++i) product *= shape.dim(i);
  return product;
}

int64_t IntegerAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt8: return At<int8_t>(t, i);
    case DType::kInt16: return At<int16_t>(t, i);
    case DType::kInt32: return At<int32_t>(t, i);
    case DType::kUInt8: return At<uint8_t>(t, i);
    case DType::kUInt16: return At<uint16_t>(t, i);
    case DType::kUInt32: return At<uint32_t>(t, i);
    case DType::kUInt64: return At<uint64_t>(t, i);
    default: return At<int64_t>(t, i);
  }
}

StatusOr<int64_t> ScalarArg(const Tensor& t, std::string_view name) {
  if (t.rank() > 1 || t.num_elements() != 1) {
    return InvalidArgument(name, " must be a scalar, but received tensor of shape: ", t.shape());
  }
  RAMET_RETURN_IF_ERROR(CheckIsInteger(t, name, "scalar"));
  return IntegerAt(t, 0);
}

StatusOr<Dims> VectorArg(const Tensor& t, std::string_view name) {
  if (t.rank() != 1 || t.num_elements() > Shape::kMaxRank) {
    return InvalidArgument(name, " must be a vector of at most ", Shape::kMaxRank,
                           " integers, got shape ", t.shape());
  }
  RAMET_RETURN_IF_ERROR(CheckIsInteger(t, name, "vector"));
  Dims values(static_cast<int>(t.num_elements()), 0);
  for (int i = 0; i < values.size(); ++i) values[i] = IntegerAt(t, i);
  return values;
}

StatusOr<Shape> ShapeArg(const Tensor& t, std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(Dims dims, VectorArg(t, name));
  for (int64_t d : dims) {
    if (d < 0) return InvalidArgument("Dimension ", d, " must be >= 0 (", name, ")");
  }
  return Shape::Make(dims);
}

StatusOr<int> AxisArg(int64_t axis, int rank, std::string_view what) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  return InvalidArgument(what, " must be in the range [", -rank, ", ", rank, "), but is ", axis);
}

}  // namespace ramet
