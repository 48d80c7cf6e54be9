#include "proto/tensor_message.h"

#include <google/protobuf/io/coded_stream.h>

#include <complex>

#include "tensorflow/core/framework/tensor_shape.pb.h"

namespace server {
namespace {

using google::protobuf::io::CodedOutputStream;
using ramet::DType;
using ramet::Tensor;

// The fields of TensorProto.
enum Field : uint32_t {
  kDType = 1,
  kTensorShape = 2,
  kTensorContent = 4,
  kFloatVal = 5,
  kDoubleVal = 6,
  kIntVal = 7,
  kStringVal = 8,
  kScomplexVal = 9,
  kInt64Val = 10,
  kBoolVal = 11,
  kDcomplexVal = 12,
  kHalfVal = 13,
  kUint32Val = 16,
  kUint64Val = 17,
};

std::string HeadOf(const Tensor& tensor) {
  tensorflow::TensorShapeProto shape;
  for (const int64_t dim : tensor.shape().dims()) shape.add_dim()->set_size(dim);
  std::string head;
  AppendVarint(kDType << 3, &head);
  AppendVarint(static_cast<uint64_t>(tensor.dtype()), &head);
  AppendBytesField(kTensorShape, shape.SerializeAsString(), &head);
  return head;
}

// Writes the memory of the tensor as the content of a field. For floating-point numbers, this is
// also the form of a packed list.
TensorMessage WithMemory(const Tensor& tensor, Field field) {
  TensorMessage message{HeadOf(tensor), tensor};
  AppendBytesHead(field, tensor.bytes(), &message.bytes);
  return message;
}

// Writes a packed list of varints. Negative numbers have ten bytes, as in any message.
template <class T>
TensorMessage WithVarints(const Tensor& tensor, Field field) {
  const std::span<const T> values(static_cast<const T*>(tensor.raw_data()),
                                  static_cast<size_t>(tensor.num_elements()));
  size_t size = 0;
  for (const T value : values)
    size += CodedOutputStream::VarintSize64(static_cast<uint64_t>(value));
  TensorMessage message{HeadOf(tensor), {}};
  message.bytes.reserve(message.bytes.size() + BytesFieldSize(field, size));
  AppendBytesHead(field, size, &message.bytes);
  for (const T value : values) AppendVarint(static_cast<uint64_t>(value), &message.bytes);
  return message;
}

TensorMessage WithStrings(const Tensor& tensor) {
  TensorMessage message{HeadOf(tensor), {}};
  for (const std::string& s : tensor.flat<std::string>()) {
    AppendBytesField(kStringVal, s, &message.bytes);
  }
  return message;
}

ramet::StatusOr<TensorMessage> WithTypedList(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat: return WithMemory(tensor, kFloatVal);
    case DType::kDouble: return WithMemory(tensor, kDoubleVal);
    case DType::kComplex64: return WithMemory(tensor, kScomplexVal);
    case DType::kComplex128: return WithMemory(tensor, kDcomplexVal);
    case DType::kInt32:
    case DType::kQInt32: return WithVarints<int32_t>(tensor, kIntVal);
    case DType::kInt16:
    case DType::kQInt16: return WithVarints<int16_t>(tensor, kIntVal);
    case DType::kUInt16:
    case DType::kQUInt16: return WithVarints<uint16_t>(tensor, kIntVal);
    case DType::kInt8:
    case DType::kQInt8: return WithVarints<int8_t>(tensor, kIntVal);
    case DType::kUInt8:
    case DType::kQUInt8: return WithVarints<uint8_t>(tensor, kIntVal);
    case DType::kHalf:
    case DType::kBFloat16: return WithVarints<uint16_t>(tensor, kHalfVal);
    case DType::kInt64: return WithVarints<int64_t>(tensor, kInt64Val);
    case DType::kUInt32: return WithVarints<uint32_t>(tensor, kUint32Val);
    case DType::kUInt64: return WithVarints<uint64_t>(tensor, kUint64Val);
    case DType::kBool: return WithVarints<uint8_t>(tensor, kBoolVal);
    case DType::kString: return WithStrings(tensor);
    default:
      return ramet::InvalidArgument("a tensor of type ", ramet::DTypeName(tensor.dtype()),
                                    " cannot be sent: its elements are handles that are only "
                                    "valid in the server");
  }
}

}  // namespace

ramet::StatusOr<TensorMessage> WriteTensor(const Tensor& tensor, TensorForm form) {
  if (tensor.num_elements() == 0) return TensorMessage{HeadOf(tensor), {}};
  const bool flat = ramet::DTypeSize(tensor.dtype()) > 0;
  if (form == TensorForm::kContent && flat) return WithMemory(tensor, kTensorContent);
  return WithTypedList(tensor);
}

void AppendTensor(const TensorMessage& message, Pieces* out) {
  out->bytes()->append(message.bytes);
  if (!message.memory.empty()) out->AppendMemory(message.memory);
}

}  // namespace server
