#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "grpc/grpc_server.h"
#include "model/fake_manager.h"
#include "proto/tensor_message.h"

namespace server {

inline constexpr char kPredictionService[] = "/tensorflow.serving.PredictionService/";
inline constexpr char kModelService[] = "/tensorflow.serving.ModelService/";
inline constexpr char kInferenceService[] = "/inference.GRPCInferenceService/";

inline std::string Bytes(const ramet::Tensor& tensor) {
  return ramet::TensorToProtoBytes(tensor).value();
}
inline ramet::Tensor TensorOf(const std::string& bytes) {
  return ramet::TensorFromProtoBytes(bytes).value();
}

// A model "m" with version 3, whose signature "serving_default" is y = 2x + b with b = 1 by
// default, on an ephemeral port, and a channel to it.
class GrpcTest : public ::testing::Test {
 protected:
  using Message = google::protobuf::Message;

  static ramet::SignatureTensor Info(const std::string& name, ramet::DType dtype) {
    return {.name = name, .dtype = dtype};
  }
  static Signatures LinearSignatures() {
    ramet::Signature signature;
    signature.inputs = {{"x", Info("x:0", ramet::kFloat)}, {"b", Info("b:0", ramet::kFloat)}};
    signature.outputs = {{"y", Info("y:0", ramet::kFloat)}};
    signature.method_name = ramet::saved_model_keys::kPredictMethod;
    signature.defaults = {{"b", ramet::Tensor(1.0f)}};
    return {{"serving_default", signature}};
  }
  // Computes 2x + b for each fetch.
  static ramet::StatusOr<std::vector<ramet::Tensor>> Linear(const RunTensors& tensors,
                                                            const std::vector<ramet::Tensor>& feeds,
                                                            const RunLimits&) {
    float b = 1;
    ramet::Tensor x;
    for (size_t i = 0; i < feeds.size(); ++i) {
      if (tensors.feeds[i] == "b:0") b = feeds[i].scalar<float>();
      if (tensors.feeds[i] == "x:0") x = feeds[i];
    }
    RAMET_ASSIGN_OR_RETURN(ramet::Tensor y, x.DeepCopy());
    for (float& value : y.mutable_flat<float>()) value = 2 * value + b;
    return std::vector<ramet::Tensor>(tensors.fetches.size(), y);
  }

  void AddVersion(int64_t number, FakeVersion::Compute compute = Linear) {
    manager_.Add(std::make_shared<FakeVersion>("m", number, LinearSignatures(), compute));
  }
  void Start(GrpcOptions options = {}) {
    if (options.addresses.empty()) options.addresses = {"127.0.0.1:0"};
    Services services = services_;
    services.manager = &manager_;
    server_ = GrpcServer::Start(options, services).value();
    if (server_->ports()[0] != 0)
      target_ = ramet::StrCat("127.0.0.1:", server_->ports()[0]);
    else
      target_ = options.addresses[0];
    channel_ = Channel();
  }
  std::shared_ptr<grpc::Channel> Channel() const {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    return grpc::CreateCustomChannel(target_, grpc::InsecureChannelCredentials(), arguments);
  }
  grpc::Status Call(const std::string& path, const Message& request, Message* response,
                    grpc::ClientContext* context) {
    const grpc::internal::RpcMethod method(path.c_str(), grpc::internal::RpcMethod::NORMAL_RPC);
    return grpc::internal::BlockingUnaryCall<Message, Message, google::protobuf::MessageLite,
                                             google::protobuf::MessageLite>(
        channel_.get(), method, context, request, response);
  }
  grpc::Status Call(const std::string& path, const Message& request, Message* response) {
    grpc::ClientContext context;
    return Call(path, request, response, &context);
  }

  FakeManager manager_;
  Services services_;
  std::string target_;
  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace server
