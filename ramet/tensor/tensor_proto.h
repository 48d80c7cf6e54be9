#pragma once

#include "ramet/base/status.h"
#include "ramet/proto/tensor.pb.h"
#include "ramet/proto/tensor_shape.pb.h"
#include "ramet/tensor/shape.h"
#include "ramet/tensor/tensor.h"

// Converts Tensor to and from TensorProto, and Shape to and from TensorShapeProto, as TensorFlow's
// runtime reads them and its Python client writes them. Thread-safe.
namespace ramet {

// Returns the shape. unknown_rank becomes Shape::Unknown(), a size of -1 an unknown dimension.
// Dimension names are dropped.
// \error kInvalidArgument: a size is < -1, there are more than Shape::kMaxRank dims, the number of
//   elements overflows, or unknown_rank comes with dims.
StatusOr<Shape> ShapeFromProto(const TensorShapeProto& proto);

// Reports whether ShapeToProto restores the message: it has no dimension names or unknown fields.
bool IsPlainShape(const TensorShapeProto& proto);

// Writes `shape` to `*proto`: a scalar as an empty message, an unknown rank as unknown_rank.
void ShapeToProto(const Shape& shape, TensorShapeProto* proto);

// The limit on the bytes that TensorFromProto allocates for values that are not in the message
// itself (a repeated last value, or zeros).
inline constexpr size_t kMaxSplatBytes = size_t{1} << 31;

// Reports whether the message itself, not a nested one, has fields that its definition lacks.
bool HasUnknownFields(const google::protobuf::Message& message);

// Returns the number of elements in the typed field of `dtype`.
int64_t TypedFieldSize(const TensorProto& proto, DType dtype);

// Returns the bytes that TensorFromProto allocates for a repeated last value or zeros; SIZE_MAX on
// overflow.
size_t SplatBytes(const TensorProto& proto);

// Returns the tensor that the message describes. If tensor_content is not empty, it holds exactly
// the elements of the shape. Otherwise the typed field holds them: extra values are ignored, the
// last value is repeated, and an empty field means zeros or empty strings. Integers are narrowed by
// truncation. An unknown rank is read as a scalar.
//
// \error kInvalidArgument: the shape is partial or invalid, the dtype is invalid, unknown or a
//   reference, the length of tensor_content does not match, or string lengths do not add up.
// \error kUnimplemented: the dtype is resource or variant.
// \error kResourceExhausted: values that are not in the message need more than kMaxSplatBytes, or
//   the memory cannot be allocated.
StatusOr<Tensor> TensorFromProto(const TensorProto& proto);

// Reports whether TensorToProto restores a message that TensorFromProto has accepted: the values
// are exactly those in the field that TensorToProto would use, and there is nothing else.
bool IsPlainTensor(const TensorProto& proto);

// Writes `tensor` to `*proto`. Single elements, bools and strings go into the typed field, several
// elements of a flat type into tensor_content. A tensor without elements uses neither.
// \error kInvalidArgument: the tensor is empty() or not in host memory.
Status TensorToProto(const Tensor& tensor, TensorProto* proto);

}  // namespace ramet
