#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "rest/rest_testing.h"
#include "rest/token_admission.h"

namespace server {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using std::string_literals::operator""s;

class V2ApiTest : public testing::Test {
 protected:
  V2ApiTest() {
    Signatures signatures;
    signatures["serving_default"] = EchoSignature({{"x", ramet::kFloat}});
    signatures["strings"] = EchoSignature({{"s", ramet::kString}});
    signatures["half"] = EchoSignature({{"h", ramet::kHalf}});
    signatures["bool"] = EchoSignature({{"b", ramet::kBool}});
    AddEcho(&front_end_.manager, "m", 3, signatures);
  }
  std::string Infer(const std::string& body, HttpHeaders headers = {}) {
    return front_end_.Post("/v2/models/m/infer", body, std::move(headers)).body;
  }
  std::string Signature(const std::string& name) {
    return "\"parameters\": {\"signature_name\": \"" + name + "\"}";
  }

  TestFrontEnd front_end_;
};

TEST_F(V2ApiTest, Infers) {
  EXPECT_EQ(
      Infer(
          R"({"id": "42", "inputs": [{"name": "x", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3, 4]}]})"),
      R"({"model_name":"m","model_version":"3","id":"42","outputs":[{"name":"x","datatype":"FP32","shape":[2,2],"data":[1.0,2.0,3.0,4.0]}]})");
  EXPECT_THAT(
      Infer(
          R"({"inputs": [{"data": [[1], [2]], "name": "x", "datatype": "FP32", "shape": [2, 1]}], "outputs": [{"name": "x"}]})"),
      HasSubstr(R"("shape":[2,1],"data":[1.0,2.0])"));
  EXPECT_THAT(
      Infer("{" + Signature("strings") +
            R"(, "inputs": [{"name": "s", "shape": [1], "datatype": "BYTES", "data": ["a"]}]})"),
      HasSubstr(R"("datatype":"BYTES","shape":[1],"data":["a"])"));
  EXPECT_THAT(
      Infer(
          "{" + Signature("bool") +
          R"(, "inputs": [{"name": "b", "shape": [2], "datatype": "BOOL", "data": [true, false]}]})"),
      HasSubstr(R"("data":[true,false])"));
}

TEST_F(V2ApiTest, BinaryTensors) {
  const float values[] = {1.5f, -2.0f};
  const std::string bytes(reinterpret_cast<const char*>(values), sizeof values);
  const std::string json =
      R"({"inputs": [{"name": "x", "shape": [2], "datatype": "FP32", "parameters": {"binary_data_size": 8}}], "parameters": {"binary_data_output": true}})";
  const HttpResponse answer =
      front_end_.Post("/v2/models/m/infer", json + bytes,
                      {{"Inference-Header-Content-Length", std::to_string(json.size())}});
  const std::string expected =
      R"({"model_name":"m","model_version":"3","outputs":[{"name":"x","datatype":"FP32","shape":[2],"parameters":{"binary_data_size":8}}]})";
  EXPECT_EQ(answer.body, expected + bytes);
  EXPECT_THAT(answer.headers, testing::Contains(Pair("Inference-Header-Content-Length",
                                                     std::to_string(expected.size()))));
  EXPECT_EQ(answer.content_type, "application/octet-stream");
}

TEST_F(V2ApiTest, BinaryStringsAndHalves) {
  const std::string bytes = "\1\0\0\0a\0\0\0\0"s;
  const std::string json =
      "{" + Signature("strings") +
      R"(, "inputs": [{"name": "s", "shape": [2], "datatype": "BYTES", "parameters": {"binary_data_size": 9}}], "outputs": [{"name": "s", "parameters": {"binary_data": true}}]})";
  const HttpHeaders headers = {{"Inference-Header-Content-Length", std::to_string(json.size())}};
  EXPECT_THAT(Infer(json + bytes, headers),
              testing::EndsWith("\"binary_data_size\":9}}]}" + bytes));
  const std::string half =
      "{" + Signature("half") +
      R"(, "inputs": [{"name": "h", "shape": [1], "datatype": "FP16", "parameters": {"binary_data_size": 2}}]})";
  EXPECT_THAT(
      Infer(half + "\x00\x3e"s, {{"Inference-Header-Content-Length", std::to_string(half.size())}}),
      HasSubstr("\"data\":[1.5]"));
}

TEST_F(V2ApiTest, ErrorsOfInputs) {
  const auto input = [&](const std::string& fields) {
    return Infer("{\"inputs\": [{\"name\": \"x\", " + fields + "}]}");
  };
  EXPECT_THAT(input(R"("shape": [2], "datatype": "FP32", "data": [1])"),
              HasSubstr("has 1 elements, but its shape [2] has 2"));
  EXPECT_THAT(input(R"("shape": [-1], "datatype": "FP32", "data": [1])"),
              HasSubstr("'shape' is -1"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "XX", "data": [1])"),
              HasSubstr("unknown datatype 'XX'"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP32")"), HasSubstr("neither data nor"));
  EXPECT_THAT(input(R"("datatype": "FP32", "data": [1])"), HasSubstr("no shape"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP32", "data": ["a"])"),
              HasSubstr("is not of expected type: FP32"));
  EXPECT_THAT(input(R"("shape": [1], "data": ["a"], "datatype": "FP32")"),
              HasSubstr("is not of expected type: FP32"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "FP32", "data": 5)"),
              HasSubstr("'data' is 5; expected a list"));
  EXPECT_THAT(input(R"("shape": [4611686018427387904, 4], "datatype": "FP32", "data": [])"),
              HasSubstr("too large"));
  EXPECT_THAT(
      input(
          R"("shape": [1000000000000], "datatype": "BYTES", "parameters": {"binary_data_size": 0})"),
      HasSubstr("ends within a string"));
  EXPECT_THAT(input(R"("shape": [2], "datatype": "FP32", "parameters": {"binary_data_size": 8})"),
              HasSubstr("0 bytes are left"));
  EXPECT_THAT(input(R"("shape": [1], "datatype": "INT32", "data": [1])"), HasSubstr("int32"));
  EXPECT_THAT(Infer(R"({"inputs": 5})"), HasSubstr("expected a list of objects"));
  EXPECT_THAT(Infer(R"({"inputs": [5]})"), HasSubstr("expected a list of objects"));
  EXPECT_THAT(Infer("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(Infer("5"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(Infer("{}"), HasSubstr("input size does not match signature"));
  EXPECT_THAT(Infer("{"), HasSubstr("JSON Parse error"));
  EXPECT_THAT(Infer("{}", {{"Inference-Header-Content-Length", "3"}}),
              HasSubstr("body has 2 bytes"));
  EXPECT_THAT(Infer("{\"inputs\": " + std::string(500'000, '[')), HasSubstr("\"error\""));
}

TEST_F(V2ApiTest, ModelsThatAreNotThere) {
  EXPECT_EQ(front_end_.Post("/v2/models/zz/infer", R"({"inputs": []})").status, 404);
  EXPECT_EQ(front_end_.Post("/v2/models/m/versions/9/infer", R"({"inputs": []})").status, 404);
  EXPECT_EQ(front_end_.Get("/v2/models/zz").status, 404);
  EXPECT_EQ(front_end_.Get("/v2/models/zz/ready").status, 404);
  EXPECT_EQ(front_end_.Get("/v2/models/m/versions/x").status, 400);
  EXPECT_EQ(front_end_.Get("/v2/nothing").status, 404);
  EXPECT_EQ(front_end_.Get("/v2/models/m/infer").status, 404);
}

TEST_F(V2ApiTest, HealthAndMetadata) {
  EXPECT_EQ(front_end_.Get("/v2/health/live").body, "{\"live\":true}");
  EXPECT_EQ(front_end_.Get("/v2/health/ready").body, "{\"ready\":true}");
  EXPECT_THAT(front_end_.Get("/v2").body, HasSubstr(R"("name":"ramet")"));
  EXPECT_EQ(front_end_.Get("/v2/models/m/ready").body, R"({"name":"m","ready":true})");
  EXPECT_EQ(
      front_end_.Get("/v2/models/m/versions/3").body,
      R"({"name":"m","versions":["3"],"platform":"tensorflow_savedmodel","inputs":[{"name":"x","datatype":"FP32","shape":[-1]}],"outputs":[{"name":"x","datatype":"FP32","shape":[-1]}]})");
  front_end_.manager.ready = false;
  EXPECT_EQ(front_end_.Get("/v2/health/ready").status, 503);
}

TEST_F(V2ApiTest, StatisticsAndIndex) {
  Infer(R"({"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": [1]}]})");
  EXPECT_THAT(front_end_.Get("/v2/models/m/stats").body,
              HasSubstr(R"("name":"m","version":"live","inference_count":1)"));
  EXPECT_THAT(front_end_.Get("/v2/models/stats").body, HasSubstr("\"success\":{\"count\":1"));
  EXPECT_EQ(front_end_.Post("/v2/repository/index", "").body, "[]");
}

TEST(BearerTokensTest, ReadsTokensAndRefusesOthers) {
  std::string path = "/tmp/bearer_tokens_XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path) << "# comment\n\n alpha \nbeta\n";
  const auto tokens = BearerTokens::FromFile(path);
  ASSERT_TRUE(tokens.ok());
  EXPECT_TRUE(tokens->Allows("Bearer alpha"));
  EXPECT_TRUE(tokens->Allows("bearer beta"));
  for (const char* wrong : {"", "alpha", "Bearer", "Bearer ", "Bearer alph", "Bearer alphaa",
                            "Basic alpha", "Bearer # comment"}) {
    EXPECT_FALSE(tokens->Allows(wrong)) << wrong;
  }
  const HttpAdmission admission = AdmissionWith(*tokens);
  EXPECT_EQ(admission({.target = "/v1/models/m"})->status, 401);
  EXPECT_FALSE(admission({.target = "/healthz"}).has_value());
  EXPECT_FALSE(admission({.target = "/"}).has_value());
  EXPECT_TRUE(admission({.target = "/ramet/v1/status"}).has_value());
  std::ofstream(path) << "";
  EXPECT_EQ(BearerTokens::FromFile(path).status().code(), ramet::Code::kInvalidArgument);
  std::ofstream(path) << "a b";
  EXPECT_EQ(BearerTokens::FromFile(path).status().code(), ramet::Code::kInvalidArgument);
  std::remove(path.c_str());
  EXPECT_EQ(BearerTokens::FromFile(path).status().code(), ramet::Code::kNotFound);
}

}  // namespace
}  // namespace server
