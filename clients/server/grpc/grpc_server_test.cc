#include <thread>
#include <vector>

#include "grpc/testing/test_server.h"
#include "tensorflow_serving/apis/get_model_metadata.pb.h"
#include "tensorflow_serving/apis/get_model_status.pb.h"
#include "tensorflow_serving/apis/inference.pb.h"
#include "tensorflow_serving/apis/model_management.pb.h"
#include "tensorflow_serving/apis/predict.pb.h"

namespace server {
namespace {

namespace tfs = tensorflow::serving;
using ramet::Tensor;

tfs::PredictRequest Request(const Tensor& x) {
  tfs::PredictRequest request;
  request.mutable_model_spec()->set_name("m");
  (*request.mutable_inputs())["x"] = Bytes(x);
  return request;
}

class GrpcServerTest : public GrpcTest {
 protected:
  grpc::Status Predict(const tfs::PredictRequest& request) {
    return Call(std::string(kPredictionService) + "Predict", request, &response_);
  }
  tfs::PredictResponse response_;
};

TEST_F(GrpcServerTest, PredictAnswersWithTheVersion) {
  AddVersion(3);
  Start();
  grpc::ClientContext context;
  ASSERT_TRUE(Call(std::string(kPredictionService) + "Predict", Request(Tensor::Vector({1.f, 2.f})),
                   &response_, &context)
                  .ok());
  EXPECT_TRUE(TensorOf(response_.outputs().at("y")).BitwiseEquals(Tensor::Vector({3.f, 5.f})));
  EXPECT_EQ(response_.model_spec().name(), "m");
  EXPECT_EQ(response_.model_spec().version().value(), 3);
  EXPECT_EQ(response_.model_spec().signature_name(), "serving_default");
  const auto& trailers = context.GetServerTrailingMetadata();
  EXPECT_EQ(trailers.find("x-ramet-version")->second, "3");
  EXPECT_EQ(trailers.find("x-ramet-step")->second, "7");
  EXPECT_EQ(trailers.find("x-ramet-proof")->second, "proven");
}

TEST_F(GrpcServerTest, LargeTensorsGoThroughWhole) {
  AddVersion(3);
  Start();
  Tensor x(ramet::kFloat, {1 << 20});
  for (int i = 0; i < 1 << 20; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  ASSERT_TRUE(Predict(Request(x)).ok());
  const Tensor y = TensorOf(response_.outputs().at("y"));
  ASSERT_EQ(y.shape(), x.shape());
  for (int i = 0; i < 1 << 20; ++i) ASSERT_EQ(y.data<float>()[i], 2 * i + 1.f) << i;
}

TEST_F(GrpcServerTest, MistakesHaveTensorFlowServingsCodesAndTexts) {
  AddVersion(3);
  Start();
  tfs::PredictRequest request;
  EXPECT_EQ(Predict(request).error_message(), "Missing ModelSpec");
  request.mutable_model_spec();
  EXPECT_EQ(Predict(request).error_message(), "ModelSpec has no name specified.");
  request.mutable_model_spec()->set_name("other");
  EXPECT_EQ(Predict(request).error_message(), "Servable not found for request: Latest(other)");
  EXPECT_EQ(Predict(request).error_code(), grpc::StatusCode::NOT_FOUND);
  request = Request(Tensor(1.f));
  request.mutable_model_spec()->set_version_label("stable");
  EXPECT_EQ(Predict(request).error_message(), "Unrecognized servable version label: stable");
  request = Request(Tensor(1.f));
  request.mutable_model_spec()->set_signature_name("s");
  EXPECT_EQ(Predict(request).error_message(), "Serving signature key \"s\" not found.");
  EXPECT_EQ(Predict(request).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  request = Request(Tensor(1.f));
  (*request.mutable_inputs())["x"] = "\x08\x01\x22\x01x";
  const grpc::Status status = Predict(request);
  EXPECT_EQ(status.error_message().substr(0, status.error_message().find('\n')),
            "tensor parsing error: x");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcServerTest, LongMessagesAreCut) {
  AddVersion(3, [](auto&, auto&, auto&) { return ramet::Internal(std::string(5000, 'a')); });
  Start();
  const grpc::Status status = Predict(Request(Tensor(1.f)));
  EXPECT_EQ(status.error_message(), std::string(1024, 'a') + "...TRUNCATED");
}

TEST_F(GrpcServerTest, CancelledCallCancelsTheRun) {
  std::atomic<bool> started = false, cancelled = false;
  AddVersion(3, [&](auto&, auto&, const RunLimits& limits) {
    started = true;
    while (!limits.cancellation->cancelled()) std::this_thread::yield();
    cancelled = true;
    return ramet::Cancelled("as the client asked");
  });
  Start();
  grpc::ClientContext context;
  std::thread canceller([&] {
    while (!started) std::this_thread::yield();
    context.TryCancel();
  });
  EXPECT_EQ(
      Call(std::string(kPredictionService) + "Predict", Request(Tensor(1.f)), &response_, &context)
          .error_code(),
      grpc::StatusCode::CANCELLED);
  canceller.join();
  server_.reset();
  EXPECT_TRUE(cancelled);
}

TEST_F(GrpcServerTest, LongRunsDoNotBlockOtherCalls) {
  std::atomic<bool> finish = false;
  AddVersion(3, [&](auto& tensors, auto& feeds, auto& limits) {
    for (const Tensor& feed : feeds) {
      while (feed.template scalar<float>() < 0 && !finish) std::this_thread::yield();
    }
    return Linear(tensors, feeds, limits);
  });
  Start({.max_threads = 8});
  std::vector<std::thread> slow;
  for (int i = 0; i < 7; ++i) {
    slow.emplace_back([&] {
      tfs::PredictResponse response;
      EXPECT_TRUE(
          Call(std::string(kPredictionService) + "Predict", Request(Tensor(-1.f)), &response).ok());
    });
  }
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Predict(Request(Tensor(1.f))).ok());
  finish = true;
  for (std::thread& thread : slow) thread.join();
}

TEST_F(GrpcServerTest, DeadlineIsThatOfTheRun) {
  std::atomic<bool> limited = false;
  AddVersion(3, [&](auto& tensors, auto& feeds, const RunLimits& limits) {
    const auto left = limits.deadline - std::chrono::steady_clock::now();
    // gRPC rounds timeouts up.
    limited = left > std::chrono::minutes(9) &&
              left <= std::chrono::minutes(10) + std::chrono::seconds(5);
    return Linear(tensors, feeds, limits);
  });
  Start();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(10));
  ASSERT_TRUE(
      Call(std::string(kPredictionService) + "Predict", Request(Tensor(1.f)), &response_, &context)
          .ok());
  EXPECT_TRUE(limited);
}

TEST_F(GrpcServerTest, FloodIsRefusedAndDrainAnswersWhatWasAccepted) {
  std::atomic<int> running = 0;
  std::atomic<bool> go = false;
  AddVersion(3, [&](auto& tensors, auto& feeds, const RunLimits& limits) {
    ++running;
    while (!go) std::this_thread::yield();
    return Linear(tensors, feeds, limits);
  });
  Start({.max_threads = 4, .max_calls = 1});
  grpc::Status first;
  tfs::PredictResponse first_response;
  std::thread caller([&] {
    first =
        Call(std::string(kPredictionService) + "Predict", Request(Tensor(1.f)), &first_response);
  });
  while (running == 0) std::this_thread::yield();
  channel_ = grpc::CreateCustomChannel(target_ + "", grpc::InsecureChannelCredentials(), [] {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return arguments;
  }());
  EXPECT_EQ(Predict(Request(Tensor(1.f))).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  std::thread drainer([&] { server_->Drain(std::chrono::minutes(1)); });
  go = true;
  caller.join();
  drainer.join();
  EXPECT_TRUE(first.ok()) << first.error_message();
  EXPECT_TRUE(first_response.outputs().contains("y"));
}

TEST_F(GrpcServerTest, TokensAreRequired) {
  AddVersion(3);
  Start({.tokens = BearerTokens({"secret", "second"})});
  EXPECT_EQ(Predict(Request(Tensor(1.f))).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  for (const auto& [token, code] : {std::pair("second", grpc::StatusCode::OK),
                                    std::pair("sec", grpc::StatusCode::UNAUTHENTICATED)}) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", std::string("Bearer ") + token);
    EXPECT_EQ(Call(std::string(kPredictionService) + "Predict", Request(Tensor(1.f)), &response_,
                   &context)
                  .error_code(),
              code);
  }
}

TEST_F(GrpcServerTest, UnixSocketAndUnknownMethod) {
  AddVersion(3);
  const std::string path = ::testing::TempDir() + "ramet_grpc_test.sock";
  Start({.addresses = {"unix:" + path}});
  EXPECT_TRUE(Predict(Request(Tensor(1.f))).ok());
  EXPECT_EQ(Call("/tensorflow.serving.SessionService/SessionRun", Request(Tensor(1.f)), &response_)
                .error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(GrpcServerTest, TwoServersCannotShareAPort) {
  Start();
  Services services;
  services.manager = &manager_;
  EXPECT_EQ(GrpcServer::Start({.addresses = {target_}}, services).status().code(),
            ramet::Code::kUnavailable);
}

TEST_F(GrpcServerTest, MetadataHoldsTheSignatures) {
  AddVersion(3);
  Start();
  tfs::GetModelMetadataRequest request;
  tfs::GetModelMetadataResponse response;
  const std::string path = std::string(kPredictionService) + "GetModelMetadata";
  request.mutable_model_spec()->set_name("m");
  EXPECT_EQ(Call(path, request, &response).error_message(),
            "GetModelMetadataRequest must specify at least one metadata_field");
  request.add_metadata_field("signature_def");
  ASSERT_TRUE(Call(path, request, &response).ok());
  tfs::SignatureDefMap map;
  ASSERT_TRUE(response.metadata().at("signature_def").UnpackTo(&map));
  EXPECT_EQ(map.signature_def().at("serving_default").inputs().at("x").name(), "x:0");
  EXPECT_EQ(response.model_spec().version().value(), 3);
  EXPECT_EQ(response.model_spec().signature_name(), "");
  request.add_metadata_field("x");
  EXPECT_EQ(Call(path, request, &response).error_message(), "Metadata field x is not supported");
}

TEST_F(GrpcServerTest, MultiInferenceWithoutTasksIsRefused) {
  Start();
  tfs::MultiInferenceResponse response;
  const grpc::Status status = Call(std::string(kPredictionService) + "MultiInference",
                                   tfs::MultiInferenceRequest(), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "Missing ModelSpec");
}

TEST_F(GrpcServerTest, StatusListsVersions) {
  AddVersion(3);
  AddVersion(4);
  Start();
  tfs::GetModelStatusRequest request;
  tfs::GetModelStatusResponse response;
  const std::string path = std::string(kModelService) + "GetModelStatus";
  request.mutable_model_spec()->set_name("m");
  ASSERT_TRUE(Call(path, request, &response).ok());
  ASSERT_EQ(response.model_version_status_size(), 2);
  EXPECT_EQ(response.model_version_status(0).version(), 4);
  EXPECT_EQ(response.model_version_status(0).state(), tfs::ModelVersionStatus::AVAILABLE);
  request.mutable_model_spec()->set_name("none");
  EXPECT_EQ(Call(path, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(GrpcServerTest, ReloadPassesTheModelsOn) {
  Start();
  tfs::ReloadConfigRequest request;
  tfs::ReloadConfigResponse response;
  const std::string path = std::string(kModelService) + "HandleReloadConfigRequest";
  ASSERT_TRUE(Call(path, request, &response).ok());
  EXPECT_TRUE(manager_.reloaded.empty());
  auto* model = request.mutable_config()->mutable_model_config_list()->add_config();
  model->set_name("a");
  model->set_base_path("/models/a");
  EXPECT_EQ(Call(path, request, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  model->set_model_platform("tensorflow");
  ASSERT_TRUE(Call(path, request, &response).ok());
  ASSERT_EQ(manager_.reloaded.size(), 1u);
  EXPECT_EQ(manager_.reloaded[0].source, "/models/a");
}

}  // namespace
}  // namespace server
