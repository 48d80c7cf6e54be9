#include "ramet/saved_model/signature.h"

#include "ramet/saved_model/signature_proto.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

StatusOr<SignatureTensor> ReadTensorInfo(const TensorInfo& proto) {
  SignatureTensor tensor;
  tensor.dtype = static_cast<DType>(proto.dtype());
  if (proto.has_tensor_shape()) {
    RAMET_ASSIGN_OR_RETURN(tensor.shape, ShapeFromProto(proto.tensor_shape()));
  }
  if (proto.has_name()) tensor.name = proto.name();
  if (proto.has_composite_tensor()) {
    tensor.composite = proto.composite_tensor().SerializeAsString();
  }
  if (proto.has_coo_sparse()) {
    const auto& sparse = proto.coo_sparse();
    tensor.sparse = {sparse.values_tensor_name(), sparse.indices_tensor_name(),
                     sparse.dense_shape_tensor_name()};
  }
  return tensor;
}

using TensorInfoMap = google::protobuf::Map<std::string, TensorInfo>;

Status ReadTensors(const char* kind, const TensorInfoMap& protos,
                   std::map<std::string, SignatureTensor>* tensors) {
  for (const auto& [key, proto] : protos) {
    auto tensor = ReadTensorInfo(proto);
    if (!tensor.ok()) return tensor.status().WithContext(StrCat(kind, " '", key, "'"));
    (*tensors)[key] = *std::move(tensor);
  }
  return OkStatus();
}

Status WriteTensors(const char* kind, const std::map<std::string, SignatureTensor>& tensors,
                    TensorInfoMap* protos) {
  for (const auto& [key, tensor] : tensors) {
    Status written = SignatureTensorToProto(tensor, &(*protos)[key]);
    if (!written.ok()) return written.WithContext(StrCat(kind, " '", key, "'"));
  }
  return OkStatus();
}

}  // namespace

SignatureTensor DescribeTensor(const Output& tensor) {
  if (!tensor.valid()) return {};
  return {.name = tensor.name(), .dtype = BaseType(tensor.dtype()), .shape = tensor.shape()};
}

Signature MakeSignature(const std::map<std::string, Output>& inputs,
                        const std::map<std::string, Output>& outputs,
                        std::string_view method_name) {
  Signature signature;
  for (const auto& [key, tensor] : inputs) signature.inputs[key] = DescribeTensor(tensor);
  for (const auto& [key, tensor] : outputs) signature.outputs[key] = DescribeTensor(tensor);
  signature.method_name = std::string(method_name);
  return signature;
}

StatusOr<Signature> SignatureFromProto(const SignatureDef& proto) {
  Signature signature;
  RAMET_RETURN_IF_ERROR(ReadTensors("input", proto.inputs(), &signature.inputs));
  RAMET_RETURN_IF_ERROR(ReadTensors("output", proto.outputs(), &signature.outputs));
  signature.method_name = proto.method_name();
  for (const auto& [key, value] : proto.defaults()) {
    auto tensor = TensorFromProto(value);
    if (!tensor.ok()) return tensor.status().WithContext(StrCat("default of input '", key, "'"));
    signature.defaults[key] = *std::move(tensor);
  }
  return signature;
}

Status SignatureTensorToProto(const SignatureTensor& tensor, TensorInfo* proto) {
  proto->Clear();
  proto->set_dtype(static_cast<DataType>(tensor.dtype));
  ShapeToProto(tensor.shape, proto->mutable_tensor_shape());
  if (!tensor.name.empty()) proto->set_name(tensor.name);
  if (tensor.sparse) {
    auto* sparse = proto->mutable_coo_sparse();
    sparse->set_values_tensor_name(tensor.sparse->values_tensor_name);
    sparse->set_indices_tensor_name(tensor.sparse->indices_tensor_name);
    sparse->set_dense_shape_tensor_name(tensor.sparse->dense_shape_tensor_name);
  }
  if (tensor.composite.empty()) return OkStatus();
  if (proto->mutable_composite_tensor()->ParseFromString(tensor.composite)) return OkStatus();
  return InvalidArgument("its composite is not a serialized TensorInfo.CompositeTensor");
}

Status SignatureToProto(const Signature& signature, SignatureDef* proto) {
  proto->Clear();
  RAMET_RETURN_IF_ERROR(WriteTensors("input", signature.inputs, proto->mutable_inputs()));
  RAMET_RETURN_IF_ERROR(WriteTensors("output", signature.outputs, proto->mutable_outputs()));
  proto->set_method_name(signature.method_name);
  for (const auto& [key, value] : signature.defaults) {
    Status written = TensorToProto(value, &(*proto->mutable_defaults())[key]);
    if (!written.ok()) return written.WithContext(StrCat("default of input '", key, "'"));
  }
  return OkStatus();
}

StatusOr<Signature> ParseSignature(std::string_view signature_def) {
  SignatureDef proto;
  if (!proto.ParseFromArray(signature_def.data(), static_cast<int>(signature_def.size()))) {
    return DataLoss("the bytes are not a SignatureDef");
  }
  return SignatureFromProto(proto);
}

StatusOr<std::string> SerializeSignature(const Signature& signature) {
  SignatureDef proto;
  RAMET_RETURN_IF_ERROR(SignatureToProto(signature, &proto));
  return proto.SerializeAsString();
}

}  // namespace ramet
