#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

#include "model/model_version.h"

// The parts of the Open Inference Protocol that its gRPC and REST interfaces share.
namespace server {

// Returns the protocol's name of a dtype ("FP32"); TensorFlow's name in capitals for dtypes that
// the protocol lacks.
std::string OpenDatatypeName(ramet::DType dtype);
// \error kInvalidArgument: "unknown datatype 'X'; expected one of ...".
ramet::StatusOr<ramet::DType> ParseOpenDatatype(std::string_view name);

// Returns the signature that a model's metadata describes: the default one, or the only one; null
// if a model has several others.
const ramet::Signature* DescribedSignature(const Signatures& signatures);

// Makes a tensor from its elements as bytes: little endian, and strings each with a length of four
// bytes. Unless they are strings, `bytes` must have the size of the tensor (ramet::TensorBytes).
// \error kInvalidArgument: the strings do not fill the tensor.
ramet::StatusOr<ramet::Tensor> TensorFromBinary(std::string_view bytes, ramet::DType dtype,
                                                const ramet::Shape& shape);
// Appends the elements of a tensor in this form.
// \error kInvalidArgument: a string is too long.
ramet::Status AppendBinary(const ramet::Tensor& tensor, std::string* out);

}  // namespace server
