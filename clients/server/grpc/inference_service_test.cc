#include "grpc/testing/test_server.h"
#include "inference/open_inference_grpc.pb.h"

namespace server {
namespace {

class InferenceServiceTest : public GrpcTest {
 protected:
  void SetUp() override {
    AddVersion(3);
    Start();
    request_.set_model_name("m");
    request_.set_id("42");
    auto* input = request_.add_inputs();
    input->set_name("x");
    input->set_datatype("FP32");
    input->add_shape(2);
  }
  grpc::Status Infer() {
    return Call(std::string(kInferenceService) + "ModelInfer", request_, &response_);
  }
  inference::ModelInferRequest request_;
  inference::ModelInferResponse response_;
};

TEST_F(InferenceServiceTest, TypedContentsAreAnsweredInKind) {
  for (const float value : {1.f, 2.f}) {
    request_.mutable_inputs(0)->mutable_contents()->add_fp32_contents(value);
  }
  ASSERT_TRUE(Infer().ok());
  EXPECT_EQ(response_.id(), "42");
  EXPECT_EQ(response_.model_version(), "3");
  ASSERT_EQ(response_.outputs_size(), 1);
  EXPECT_EQ(response_.outputs(0).datatype(), "FP32");
  EXPECT_EQ(response_.outputs(0).contents().fp32_contents(1), 5.f);
}

TEST_F(InferenceServiceTest, RawContentsAreAnsweredInKind) {
  const float values[] = {1.f, 2.f};
  request_.add_raw_input_contents(std::string(reinterpret_cast<const char*>(values), 8));
  ASSERT_TRUE(Infer().ok());
  ASSERT_EQ(response_.raw_output_contents_size(), 1);
  float result[2];
  memcpy(result, response_.raw_output_contents(0).data(), 8);
  EXPECT_EQ(result[1], 5.f);
  EXPECT_FALSE(response_.outputs(0).has_contents());
}

TEST_F(InferenceServiceTest, MistakesNameTheInput) {
  EXPECT_EQ(Infer().error_message(), "input 'x' has 0 values, but its shape and datatype need 2");
  request_.add_raw_input_contents("1234567");
  EXPECT_EQ(Infer().error_message(),
            "input 'x' has 7 bytes of raw contents, but its shape and datatype need 8");
  request_.add_raw_input_contents("");
  EXPECT_EQ(Infer().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request_.clear_raw_input_contents();
  request_.mutable_inputs(0)->set_shape(0, int64_t{1} << 62);
  request_.mutable_inputs(0)->add_shape(4);
  EXPECT_EQ(Infer().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  request_.mutable_inputs(0)->set_datatype("FP33");
  EXPECT_EQ(Infer().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(InferenceServiceTest, HealthAndMetadata) {
  inference::ServerReadyResponse ready;
  ASSERT_TRUE(
      Call(std::string(kInferenceService) + "ServerReady", inference::ServerReadyRequest(), &ready)
          .ok());
  EXPECT_TRUE(ready.ready());
  inference::ModelReadyRequest model;
  inference::ModelReadyResponse model_ready;
  model.set_name("none");
  ASSERT_TRUE(Call(std::string(kInferenceService) + "ModelReady", model, &model_ready).ok());
  EXPECT_FALSE(model_ready.ready());
  inference::ModelMetadataRequest request;
  inference::ModelMetadataResponse metadata;
  request.set_name("m");
  ASSERT_TRUE(Call(std::string(kInferenceService) + "ModelMetadata", request, &metadata).ok());
  EXPECT_EQ(metadata.inputs(1).name(), "x");
  EXPECT_EQ(metadata.inputs(1).datatype(), "FP32");
  EXPECT_EQ(metadata.versions(0), "3");
}

}  // namespace
}  // namespace server
