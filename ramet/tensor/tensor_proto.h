#pragma once

#include "ramet/base/status.h"
#include "ramet/proto/tensor.pb.h"
#include "ramet/proto/tensor_shape.pb.h"
#include "ramet/tensor/shape.h"
#include "ramet/tensor/tensor.h"

// Tensor <-> TensorProto and Shape <-> TensorShapeProto, as TensorFlow's runtime reads them and its
// client writes them. All functions are pure and may be called from any thread.
namespace ramet {

// The shape; unknown_rank gives Shape::Unknown(), a size of -1 an unknown dimension. Names of
// dimensions are dropped. \error kInvalidArgument if a size is < -1, there are more than
// Shape::kMaxRank dims, the number of elements overflows, or unknown_rank comes with dims.
StatusOr<Shape> ShapeFromProto(const TensorShapeProto& proto);

// Whether ShapeToProto gives the message back: it has no names of dimensions and no unknown fields.
bool IsPlainShape(const TensorShapeProto& proto);

// Writes `shape` over `*proto`. A scalar gives an empty message, an unknown rank unknown_rank.
void ShapeToProto(const Shape& shape, TensorShapeProto* proto);

// The most bytes that TensorFromProto allocates for values that the message does not hold itself
// (a last value that is repeated, or zeros).
inline constexpr size_t kMaxSplatBytes = size_t{1} << 31;

// Whether a message itself, not one inside of it, holds fields that its definition does not have.
bool HasUnknownFields(const google::protobuf::Message& message);

// How many elements the typed field of `dtype` holds.
int64_t TypedFieldSize(const TensorProto& proto, DType dtype);

// The bytes that TensorFromProto allocates for them; SIZE_MAX if they are more than can be counted.
size_t SplatBytes(const TensorProto& proto);

// The tensor that the message describes. tensor_content, if there is any, holds exactly the shape's
// elements; otherwise the typed field does: what is too much is ignored, the last value is
// repeated, an empty field means zeros or empty strings. Integers are narrowed by truncation. An
// unknown rank is taken as a scalar.
//
// \error kInvalidArgument if the shape is partial or illegal, the dtype is not one that a Tensor
//   holds (invalid, reference and unknown ones), tensor_content has another length than dtype and
//   shape need, or string lengths do not add up.
// \error kUnimplemented for resource and variant.
// \error kResourceExhausted if values that the message does not hold need more than kMaxSplatBytes,
// or
//   memory is not to be had.
StatusOr<Tensor> TensorFromProto(const TensorProto& proto);

// Whether TensorToProto gives back the message, which TensorFromProto has accepted: its values
// stand in the field that TensorToProto takes, none more and none less, and there is nothing
// besides.
bool IsPlainTensor(const TensorProto& proto);

// Writes `tensor`, which must be in host memory, over `*proto`: one element and bool and string go
// into the typed field, several elements of a flat type into tensor_content, no elements into
// neither. \error kInvalidArgument if the tensor is empty() or not in host memory.
Status TensorToProto(const Tensor& tensor, TensorProto* proto);

}  // namespace ramet
