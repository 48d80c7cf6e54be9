#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

#include "model/model_spec.h"
#include "model/model_version.h"
#include "tensorflow/core/protobuf/meta_graph.pb.h"
#include "tensorflow_serving/apis/model.pb.h"

// Converts between the messages of TensorFlow Serving and the server's own types.
namespace server {

ModelSpec FromMessage(const tensorflow::serving::ModelSpec& message);

// Describes the version that a request asks for. The name of its signature is `signature_name`.
tensorflow::serving::ModelSpec ModelSpecMessage(const ModelSpec& spec,
                                                std::string_view signature_name);
// Describes the version that answered a request. An empty signature name is left out.
tensorflow::serving::ModelSpec ModelSpecMessage(const ModelVersion& version,
                                                std::string_view signature_name);

tensorflow::SignatureDef SignatureMessage(const ramet::Signature& signature);

// Parses the bytes of a message.
// \error kInvalidArgument: the bytes are not a message of this type.
template <class Message>
ramet::StatusOr<Message> ParseMessage(std::string_view bytes) {
  Message message;
  if (bytes.size() > INT_MAX ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return ramet::InvalidArgument("the request's ", bytes.size(), " bytes are not a message ",
                                  std::string(message.GetTypeName()));
  }
  return message;
}

}  // namespace server
