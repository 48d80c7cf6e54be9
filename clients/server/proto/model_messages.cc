#include "proto/model_messages.h"

#include "proto/tensor_message.h"

namespace server {
namespace {

tensorflow::TensorInfo TensorInfoMessage(const ramet::SignatureTensor& tensor) {
  tensorflow::TensorInfo info;
  if (tensor.sparse) {
    info.mutable_coo_sparse()->set_values_tensor_name(tensor.sparse->values_tensor_name);
    info.mutable_coo_sparse()->set_indices_tensor_name(tensor.sparse->indices_tensor_name);
    info.mutable_coo_sparse()->set_dense_shape_tensor_name(tensor.sparse->dense_shape_tensor_name);
  } else if (!tensor.composite.empty()) {
    info.set_composite_tensor(tensor.composite);
  } else {
    info.set_name(tensor.name);
  }
  info.set_dtype(static_cast<int>(tensor.dtype));
  tensorflow::TensorShapeProto& shape = *info.mutable_tensor_shape();
  shape.set_unknown_rank(tensor.shape.unknown_rank());
  for (const int64_t dim : tensor.shape.dims()) shape.add_dim()->set_size(dim);
  return info;
}

}  // namespace

ModelSpec FromMessage(const tensorflow::serving::ModelSpec& message) {
  ModelSpec spec;
  spec.name = message.name();
  if (message.has_version()) spec.version = message.version().value();
  if (message.has_version_label()) spec.label = message.version_label();
  spec.signature_name = message.signature_name();
  return spec;
}

tensorflow::serving::ModelSpec ModelSpecMessage(const ModelSpec& spec,
                                                std::string_view signature_name) {
  tensorflow::serving::ModelSpec message;
  message.set_name(spec.name);
  if (spec.version) message.mutable_version()->set_value(*spec.version);
  if (!spec.label.empty()) message.set_version_label(spec.label);
  message.set_signature_name(std::string(signature_name));
  return message;
}

tensorflow::serving::ModelSpec ModelSpecMessage(const ModelVersion& version,
                                                std::string_view signature_name) {
  return ModelSpecMessage({.name = version.model(), .version = version.number()}, signature_name);
}

tensorflow::SignatureDef SignatureMessage(const ramet::Signature& signature) {
  tensorflow::SignatureDef message;
  for (const auto& [name, tensor] : signature.inputs) {
    (*message.mutable_inputs())[name] = TensorInfoMessage(tensor);
  }
  for (const auto& [name, tensor] : signature.outputs) {
    (*message.mutable_outputs())[name] = TensorInfoMessage(tensor);
  }
  message.set_method_name(signature.method_name);
  for (const auto& [name, tensor] : signature.defaults) {
    if (auto bytes = ramet::TensorToProtoBytes(tensor); bytes.ok()) {
      (*message.mutable_defaults())[name] = *std::move(bytes);
    }
  }
  return message;
}

}  // namespace server
