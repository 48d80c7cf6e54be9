#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "json/json_text.h"
#include "proto/predict_messages.h"
#include "rest/gzip.h"
#include "rest/rest_testing.h"
#include "tensorflow_serving/apis/regression.pb.h"

namespace server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class TfsApiTest : public testing::Test {
 protected:
  TfsApiTest() { MakeFrontEnd({}); }

  void MakeFrontEnd(const RestOptions& options) {
    front_end_ = std::make_unique<TestFrontEnd>(options);
    Signatures signatures;
    signatures["serving_default"] = EchoSignature({{"x", ramet::kFloat}});
    signatures["pair"] = EchoSignature({{"a", ramet::kInt32}, {"b", ramet::kString}});
    signatures["bytes"] = EchoSignature({{"s", ramet::kString}}, "_bytes");
    signatures["complex"] = EchoSignature({{"c", ramet::kComplex64}});
    signatures["long"] = EchoSignature({{"n", ramet::kInt64}});
    for (const int64_t number : {1, 3}) AddEcho(&manager(), "m", number, signatures);
    manager().SetLabel("stable", 1);
  }
  FakeManager& manager() { return front_end_->manager; }
  HttpResponse Post(const std::string& target, const std::string& body, HttpHeaders headers = {}) {
    return front_end_->Post(target, body, std::move(headers));
  }
  std::string Predict(const std::string& body) { return Post("/v1/models/m:predict", body).body; }
  // Returns the answer to a request with a signature, whose name comes last.
  std::string Predict(const std::string& signature, const std::string& rest) {
    return Predict("{" + rest + ", \"signature_name\": \"" + signature + "\"}");
  }

  std::unique_ptr<TestFrontEnd> front_end_;
};

std::string Error(const std::string& text) { return ErrorBody(text); }

TEST_F(TfsApiTest, Rows) {
  EXPECT_EQ(Predict(R"({"instances": [1, 2.5, -3e2]})"), R"({"predictions":[1.0,2.5,-300.0]})");
  EXPECT_EQ(Predict(R"({"instances": [{"x": [1, 2]}, {"x": [3, 4]}]})"),
            R"({"predictions":[[1.0,2.0],[3.0,4.0]]})");
  EXPECT_EQ(
      Predict(
          R"({"signature_name": "pair", "instances": [{"a": 1, "b": "u"}, {"b": "v", "a": 2}]})"),
      R"({"predictions":[{"a":1,"b":"u"},{"a":2,"b":"v"}]})");
  EXPECT_EQ(Predict(R"({"instances": [[], []]})"), R"({"predictions":[[],[]]})");
  EXPECT_EQ(Predict(R"({"instances": [NaN, Infinity, -Inf]})"),
            R"({"predictions":[NaN,Infinity,-Infinity]})");
}

TEST_F(TfsApiTest, Columns) {
  EXPECT_EQ(Predict(R"({"inputs": [1, 2]})"), R"({"outputs":[1.0,2.0]})");
  EXPECT_EQ(Predict(R"({"inputs": 5})"), R"({"outputs":5.0})");
  EXPECT_EQ(Predict(R"({"inputs": {"x": []}})"), R"({"outputs":[]})");
  EXPECT_EQ(
      Predict(
          R"({"inputs": {"a": [[1]], "zz": {"y": [1]}, "b": ["q"]}, "signature_name": "pair"})"),
      R"({"outputs":{"a":[[1]],"b":["q"]}})");
}

TEST_F(TfsApiTest, TheSignatureMayComeLast) {
  EXPECT_EQ(Predict("long", R"("instances": [9007199254740993])"),
            R"({"predictions":[9007199254740993]})");
  EXPECT_EQ(Predict("pair", R"("instances": [{"a": 1, "b": "u"}])"),
            R"({"predictions":[{"a":1,"b":"u"}]})");
}

TEST_F(TfsApiTest, KeysThatAreNotKnownAreIgnored) {
  EXPECT_EQ(Predict(R"({"extra": {"instances": [[1]]}, "instances": [1], "more": null} trailing)"),
            R"({"predictions":[1.0]})");
  EXPECT_EQ(Predict(R"({"signature_name": "", "instances": [1]})"), R"({"predictions":[1.0]})");
}

TEST_F(TfsApiTest, Base64) {
  EXPECT_EQ(Predict("bytes", R"("instances": [{"b64": "AP8="}, {"s": {"b64": "YQ"}}])"),
            Error("Expecting value/list but got object at item 1 of input list"));
  EXPECT_EQ(Predict("bytes", R"("instances": [{"b64": "AP8="}, "a"])"),
            R"({"predictions":[{"b64":"AP8="},{"b64":"YQ=="}]})");
  EXPECT_EQ(Predict("bytes", R"("instances": [{"s": {"b64": "YQ"}}])"),
            R"({"predictions":[{"b64":"YQ=="}]})");
  EXPECT_EQ(Predict("bytes", R"("inputs": {"b64": "YQ"})"), R"({"outputs":{"b64":"YQ=="}})");
  EXPECT_EQ(Predict("bytes", R"("inputs": {"s": [{"b64": "YQ"}]})"),
            R"({"outputs":[{"b64":"YQ=="}]})");
}

TEST_F(TfsApiTest, ErrorsOfTheText) {
  EXPECT_EQ(Predict(""), Error("JSON Parse error: The document is empty"));
  EXPECT_EQ(Predict("{"),
            Error("JSON Parse error: Missing a name for object member. at offset: 1"));
  EXPECT_EQ(Predict("[1]"), Error("JSON Value: [1] Is not object"));
  EXPECT_EQ(Predict(R"({"signature_name": 5, "instances": [1]})"),
            Error("'signature_name' key must be a string value."));
  EXPECT_EQ(Predict(R"({"signature_name": [{"a": 5}], "instances": [1]})"),
            Error("'signature_name' key must be a string value."));
  EXPECT_EQ(Predict(R"({"signature_name": "none"})"),
            Error("Serving signature name: \"none\" not found in signature def"));
  EXPECT_EQ(Predict("{}"), Error("Missing 'inputs' or 'instances' key"));
  EXPECT_EQ(Predict(R"({"inputs": [1], "instances": [1]})"),
            Error("Not formatted correctly expecting only one of 'inputs' or 'instances' keys to "
                  "exist"));
  EXPECT_EQ(Post("/v1/models/m:predict", "{}").status, 400);
}

TEST_F(TfsApiTest, ErrorsOfRows) {
  EXPECT_EQ(Predict(R"({"instances": 5})"), Error("Expecting 'instances' to be an list/array"));
  EXPECT_EQ(Predict(R"({"instances": []})"), Error("No values in 'instances' array"));
  EXPECT_THAT(Predict("pair", R"("instances": [1])"),
              HasSubstr("instances is a plain list, but expecting list of objects"));
  EXPECT_EQ(Predict(R"({"instances": [{"x": 1}, 2]})"),
            Error("Expecting object but got list at item 1 of input list"));
  EXPECT_EQ(Predict("pair", R"("instances": [{"a": 1, "b": "", "z": 2}])"),
            Error("Failed to process element: 0 key: z of 'instances' list. Error: "
                  "INVALID_ARGUMENT: JSON object: does not have named input: z"));
  EXPECT_EQ(Predict("pair", R"("instances": [{"a": 1, "b": ""}, {"a": 1}])"),
            Error("Failed to process element: 1 of 'instances' list. JSON object: {\"a\": 1} keys "
                  "must be equal to: a,b"));
  EXPECT_THAT(Predict("pair", R"("instances": [{"a": 1, "a": 2}])"),
              HasSubstr("keys must be equal to: a,b"));
  EXPECT_THAT(Predict("pair", R"("instances": [{}])"), HasSubstr("keys must be equal to: a,b"));
  EXPECT_EQ(Predict(R"({"instances": [1, "a"]})"),
            Error("Failed to process element: 1 of 'instances' list. Error: INVALID_ARGUMENT: JSON "
                  "Value: \"a\" Type: String is not of expected type: float"));
  EXPECT_EQ(Predict("pair", R"("instances": [{"a": 1.5, "b": ""}])"),
            Error("Failed to process element: 0 key: a of 'instances' list. Error: "
                  "INVALID_ARGUMENT: JSON Value: 1.5 Type: Number is not of expected type: int32"));
  EXPECT_THAT(Predict(R"({"instances": [[1, 2], [3]]})"),
              HasSubstr("Expecting tensor size: 2 but got: 1"));
  EXPECT_THAT(Predict(R"({"instances": [[[1], [2]], [3, 4]]})"),
              HasSubstr("Expecting shape [2,1] but got: [2]"));
  EXPECT_EQ(
      Post("/v1/models/m:predict", R"({"signature_name": "complex", "instances": [1]})").status,
      400);
}

TEST_F(TfsApiTest, ErrorsOfColumns) {
  EXPECT_THAT(Predict("pair", R"("inputs": [1])"),
              HasSubstr("inputs is a plain value/list, but expecting an object"));
  EXPECT_EQ(Predict("pair", R"("inputs": {"b": ["x"]})"),
            Error("Missing named input: a in 'inputs' object."));
  EXPECT_EQ(Predict(R"({"inputs": {"y": 1}})"),
            Error("Missing named input: x in 'inputs' object."));
  EXPECT_EQ(Predict(R"({"inputs": [1, null]})"),
            Error("JSON Value: null Type: Null is not of expected type: float"));
  const HttpResponse complex =
      Post("/v1/models/m:predict", R"({"signature_name": "complex", "inputs": [1]})");
  EXPECT_EQ(complex.status, 501);
  EXPECT_EQ(complex.body, Error("Conversion of JSON Value: 1 to type: complex64"));
}

TEST_F(TfsApiTest, ErrorsOfOutputs) {
  EXPECT_EQ(Predict("pair", R"("inputs": {"a": 1, "b": "x"})"), R"({"outputs":{"a":1,"b":"x"}})");
  // A model that adds up its rows.
  Signatures signatures;
  signatures["serving_default"] = EchoSignature({{"x", ramet::kFloat}});
  manager().Add(std::make_shared<FakeVersion>(
      "m", 5, signatures, [](const RunTensors&, const auto&, const RunLimits&) {
        return ramet::StatusOr<std::vector<ramet::Tensor>>(
            std::vector<ramet::Tensor>{ramet::Tensor(1.0f)});
      }));
  EXPECT_EQ(Predict(R"({"instances": [1]})"), Error("Tensor name: x has no shape information"));
  EXPECT_EQ(Predict(R"({"inputs": [1]})"), R"({"outputs":1.0})");
}

TEST_F(TfsApiTest, OutputsWithoutTheSameRows) {
  const std::string answer = Predict("pair", R"("instances": [{"a": 1, "b": "x"}])");
  EXPECT_EQ(answer, R"({"predictions":[{"a":1,"b":"x"}]})");
  Signatures signatures;
  signatures["serving_default"] = EchoSignature({{"a", ramet::kFloat}, {"b", ramet::kFloat}});
  manager().Add(std::make_shared<FakeVersion>(
      "m", 5, signatures, [](const RunTensors&, const auto&, const RunLimits&) {
        return ramet::StatusOr<std::vector<ramet::Tensor>>(std::vector<ramet::Tensor>{
            ramet::Tensor::Vector<float>({1, 2}), ramet::Tensor::Vector<float>({1, 2, 3})});
      }));
  EXPECT_EQ(Predict(R"({"instances": [{"a": 1, "b": 1}]})"),
            Error("Tensor name: b has inconsistent batch size: 3 expecting: 2"));
}

TEST_F(TfsApiTest, ErrorsOfModels) {
  const HttpResponse unknown = Post("/v1/models/zz:predict", R"({"instances": [1]})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.body, Error("Servable not found for request: Latest(zz)"));
  EXPECT_EQ(Post("/v1/models/m/versions/9:predict", R"({"instances": [1]})").body,
            Error("Servable not found for request: Specific(m, 9)"));
  const HttpResponse label = Post("/v1/models/m/labels/zz:predict", R"({"instances": [1]})");
  EXPECT_EQ(label.status, 400);
  EXPECT_EQ(label.body, Error("Unrecognized servable version label: zz"));
  EXPECT_THAT(Post("/v1/models/zz:predict", "{").body, HasSubstr("JSON Parse error"));
}

TEST_F(TfsApiTest, VersionsAndLabelsAreNamedInTheAnswer) {
  const auto version_of = [&](const std::string& target) {
    for (const auto& [name, value] : Post(target, R"({"instances": [1]})").headers) {
      if (name == "X-Ramet-Version") return value;
    }
    return std::string();
  };
  EXPECT_EQ(version_of("/v1/models/m:predict"), "3");
  EXPECT_EQ(version_of("/v1/models/m/versions/1:predict"), "1");
  EXPECT_EQ(version_of("/v1/models/m/labels/stable:predict"), "1");
  EXPECT_EQ(version_of("/V1/Models/%6d/Labels/stable:predict"), "1");
  const HttpResponse answer = Post("/v1/models/m:predict", R"({"instances": [1]})");
  EXPECT_THAT(answer.headers,
              testing::IsSupersetOf({Pair("X-Ramet-Step", "7"), Pair("X-Ramet-Proof", "proven")}));
}

TEST_F(TfsApiTest, MalformedRequests) {
  struct Case {
    const char *method, *target;
  };
  for (const Case c :
       {Case{"GET", "/v1/models/m:predict"}, Case{"POST", "/v1/models/m"},
        Case{"POST", "/v1/models/m:Predict"}, Case{"POST", "/v1/models/m:run"},
        Case{"PUT", "/v1/models/m"}, Case{"DELETE", "/v1/models/m"}, Case{"HEAD", "/v1/models/m"},
        Case{"GET", "/v1/models/m/versions/x"}, Case{"GET", "/v1/models/m/versions/1/labels/a"},
        Case{"GET", "/v1"}, Case{"POST", "/v1/models/m:predict?x=1"}, Case{"GET", "/v1/models/"},
        Case{"GET", "/v1/models/m/metadata?x"}, Case{"GET", "/v1/x"},
        Case{"GET", "/v1/models/m/versions/1?x"}, Case{"POST", "/v1/models/:predict"},
        Case{"POST", "/v1/models/m/x:predict"}, Case{"GET", "/v1/models/m/"}}) {
    const HttpResponse answer = front_end_->Ask({.method = c.method, .target = c.target});
    EXPECT_EQ(answer.status, 400) << c.method << c.target;
    EXPECT_THAT(answer.body,
                HasSubstr(ramet::StrCat("Malformed request: ", c.method, " ", c.target)));
  }
  EXPECT_THAT(front_end_->Get("/v1/models/m/versions/99999999999999999999").body,
              HasSubstr("Failed to convert version: 99999999999999999999 to numeric."));
}

TEST_F(TfsApiTest, Status) {
  EXPECT_EQ(
      front_end_->Get("/v1/models/m").body,
      R"({"model_version_status":[{"version":"3","state":"AVAILABLE","status":{"error_code":"OK","error_message":""}},{"version":"1","state":"AVAILABLE","status":{"error_code":"OK","error_message":""}}]})");
  EXPECT_THAT(front_end_->Get("/v1/models/m/versions/1").body, Not(HasSubstr("\"3\"")));
  EXPECT_EQ(front_end_->Get("/v1/models/m?x=1").status, 200);
  const HttpResponse unknown = front_end_->Get("/v1/models/zz");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.body, Error("Could not find any versions of model zz"));
}

TEST_F(TfsApiTest, Metadata) {
  const std::string json = front_end_->Get("/v1/models/m/metadata").body;
  EXPECT_THAT(
      json,
      HasSubstr(
          R"({"model_spec":{"name":"m","signature_name":"","version":"3"},"metadata":{"signature_def":{"signature_def":{)"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("serving_default":{"inputs":{"x":{"name":"x:0","dtype":"DT_FLOAT","tensor_shape":{"dim":[],"unknown_rank":true}}},)"));
  EXPECT_THAT(json, HasSubstr(R"("method_name":"tensorflow/serving/predict","defaults":{}})"));
  EXPECT_EQ(front_end_->Get("/v1/models/zz/metadata").status, 404);
}

TEST_F(TfsApiTest, GzipBothWays) {
  const HttpResponse answer = Post("/v1/models/m:predict", Deflate(R"({"instances": [1]})"),
                                   {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(answer.body, R"({"predictions":[1.0]})");
  EXPECT_EQ(Post("/v1/models/m:predict", "rubbish", {{"Content-Encoding", "gzip"}}).status, 400);
  const std::string whole = Deflate(R"({"instances": [1]})");
  EXPECT_EQ(Post("/v1/models/m:predict", whole.substr(0, whole.size() - 9),
                 {{"Content-Encoding", "gzip"}})
                .status,
            400);
  std::string body = "{\"instances\": [0";
  for (int i = 0; i < 1000; ++i) body += ",1";
  const HttpResponse large =
      Post("/v1/models/m:predict", body + "]}", {{"Accept-Encoding", "gzip"}});
  EXPECT_THAT(large.headers, testing::Contains(Pair("Content-Encoding", "gzip")));
  EXPECT_THAT(*Inflate(large.body), HasSubstr("1.0]}"));
}

TEST_F(TfsApiTest, GzipBombsAreRefused) {
  const std::string bomb = Deflate(std::string(kMaxInflatedBytes + 1, ' '));
  EXPECT_LT(bomb.size(), 1u << 20);
  const HttpResponse answer = Post("/v1/models/m:predict", bomb, {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("the inflated body has more than 104857600 bytes"));
}

TEST_F(TfsApiTest, Cors) {
  const auto options = [&](HttpHeaders headers) {
    return front_end_->Ask(
        {.method = "OPTIONS", .target = "/v1/models/m:predict", .headers = std::move(headers)});
  };
  EXPECT_EQ(options({{"Origin", "https://x.example"}}).status, 200);
  EXPECT_EQ(options({}).status, 400);
  EXPECT_THAT(front_end_->Get("/v1/models/m").headers, testing::IsEmpty());
  MakeFrontEnd({.enable_cors = true});
  EXPECT_THAT(front_end_->Get("/v1/models/m").headers,
              testing::Contains(Pair("Access-Control-Allow-Origin", "*")));
  EXPECT_THAT(options({{"Origin", "http://x"}}).headers,
              testing::Contains(Pair("Access-Control-Allow-Methods", "POST, GET")));
}

TEST_F(TfsApiTest, TheDeadlineComesFromTheArrival) {
  RunLimits seen;
  Signatures signatures;
  signatures["serving_default"] = EchoSignature({{"x", ramet::kFloat}});
  manager().Add(std::make_shared<FakeVersion>(
      "m", 5, signatures, [&](const RunTensors&, const auto&, const RunLimits& limits) {
        seen = limits;
        return ramet::StatusOr<std::vector<ramet::Tensor>>(ramet::Unavailable("full"));
      }));
  const auto received = std::chrono::steady_clock::now() + std::chrono::hours(1);
  const HttpResponse answer = front_end_->Ask({.method = "POST",
                                               .target = "/v1/models/m:predict",
                                               .body = R"({"instances": [1]})",
                                               .received = received});
  EXPECT_EQ(seen.deadline, received + std::chrono::seconds(30));
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.headers, testing::Contains(Pair("Retry-After", "1")));
}

TEST_F(TfsApiTest, TensorsAreLimited) {
  MakeFrontEnd({.max_tensor_elements = 3});
  EXPECT_THAT(Predict(R"({"instances": [1, 2, 3, 4]})"), HasSubstr("more than 3 elements"));
}

TEST_F(TfsApiTest, HostileNesting) {
  const std::string open(500'000, '[');
  EXPECT_THAT(Predict("{\"instances\": " + open), HasSubstr("JSON Parse error"));
  EXPECT_THAT(Predict("{\"inputs\": " + open), HasSubstr("JSON Parse error"));
  EXPECT_THAT(Predict("{\"z\": " + open), HasSubstr("JSON Parse error"));
  EXPECT_THAT(Predict("{\"instances\": " + std::string(400, '[') + std::string(400, ']') + "}"),
              HasSubstr("nested more than 253 levels deep"));
}

// Runs classify and regress on serialized examples.
class ExamplesApiTest : public testing::Test {
 protected:
  ExamplesApiTest() {
    ramet::Signature regress;
    regress.method_name = ramet::saved_model_keys::kRegressMethod;
    regress.inputs["inputs"] = {.name = "in:0", .dtype = ramet::kString};
    regress.outputs["outputs"] = {.name = "out:0", .dtype = ramet::kFloat};
    ramet::Signature classify = regress;
    classify.method_name = ramet::saved_model_keys::kClassifyMethod;
    classify.outputs = {{"classes", {.name = "classes:0", .dtype = ramet::kString}},
                        {"scores", {.name = "scores:0", .dtype = ramet::kFloat}}};
    const Signatures signatures = {{"serving_default", regress}, {"classes", classify}};
    front_end_.manager.Add(std::make_shared<FakeVersion>(
        "m", 1, signatures,
        [this](const RunTensors& tensors, const std::vector<ramet::Tensor>& feeds,
               const RunLimits&) { return Compute(tensors, feeds); }));
  }
  ramet::StatusOr<std::vector<ramet::Tensor>> Compute(const RunTensors& tensors,
                                                      const std::vector<ramet::Tensor>& feeds) {
    const auto examples = feeds[0].flat<std::string>();
    examples_.assign(examples.begin(), examples.end());
    const auto n = static_cast<int64_t>(examples.size());
    std::vector<ramet::Tensor> outputs;
    for (const std::string& fetch : tensors.fetches) {
      if (fetch == "out:0") outputs.push_back(ramet::Tensor::Of<float>({n}, {3.5f}));
      if (fetch == "classes:0") outputs.push_back(ramet::Tensor::Of<std::string>({n, 1}, {"cat"}));
      if (fetch == "scores:0") outputs.push_back(ramet::Tensor::Of<float>({n, 1}, {1}));
    }
    return outputs;
  }
  std::string Regress(const std::string& body) {
    return front_end_.Post("/v1/models/m:regress", body).body;
  }
  // Returns the bytes of the example with the features.
  std::string Example(const std::string& features) {
    EXPECT_EQ(Regress("{\"examples\": [" + features + "]}"), R"({"results":[3.5]})");
    return examples_.empty() ? "" : examples_[0];
  }

  TestFrontEnd front_end_;
  std::vector<std::string> examples_;
};

TEST_F(ExamplesApiTest, Answers) {
  EXPECT_EQ(Regress(R"({"examples": [{"a": 1}, {"a": 2}]})"), R"({"results":[3.5,3.5]})");
  EXPECT_EQ(
      front_end_.Post("/v1/models/m:classify", R"({"signature_name": "classes", "examples": [{}]})")
          .body,
      R"({"results":[[["cat",1.0]]]})");
}

TEST_F(ExamplesApiTest, Features) {
  using std::string_literals::operator""s;
  EXPECT_EQ(Example(R"({"a": 5})"), "\n\x0c\n\x0a\n\x01\x61\x12\x05\x1a\x03\n\x01\x05"s);
  EXPECT_EQ(
      Example(R"({"a": [true, false, -1]})"),
      "\n\x17\n\x15\n\x01\x61\x12\x10\x1a\x0e\n\x0c\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s);
  EXPECT_EQ(Example(R"({"a": 1.0})"),
            "\n\x0f\n\x0d\n\x01\x61\x12\x08\x12\x06\n\x04\x00\x00\x80\x3f"s);
  EXPECT_EQ(Example(R"({"a": [1e0, NaN]})").size(), 21u);
  EXPECT_EQ(Example(R"({"a": ["x", {"b64": "eQ"}]})"),
            "\n\x0f\n\x0d\n\x01\x61\x12\x08\n\x06\n\x01x\n\x01y"s);
  EXPECT_EQ(Example(R"({"a": []})"), "\n\x07\n\x05\n\x01\x61\x12\x00"s);
  EXPECT_EQ(Example("{}"), "\n\x00"s);
}

TEST_F(ExamplesApiTest, Errors) {
  const auto error = [&](const std::string& body) { return Regress(body); };
  EXPECT_EQ(error("{}"), Error("key 'examples' is expected and was not found"));
  EXPECT_EQ(error(R"({"examples": 5})"), Error("Expecting 'examples' value to be an list/array"));
  EXPECT_EQ(error(R"({"examples": []})"), Error("'examples' value is an empty array"));
  EXPECT_EQ(error(R"({"examples": [[]]})"),
            Error("Example must be JSON object but got JSON Array"));
  EXPECT_EQ(error(R"({"examples": [{"F": null}]})"),
            Error("Feature: F has element with unexpected JSON type: Null"));
  EXPECT_EQ(error(R"({"examples": [{"F": [[1]]}]})"),
            Error("Feature: F has element with unexpected JSON type: Array"));
  EXPECT_EQ(error(R"({"examples": [{"F": {"x": 1}}]})"),
            Error("Feature: F has element with unexpected JSON type: Object"));
  EXPECT_EQ(error(R"({"examples": [{"F": [1, 2.5]}]})"),
            Error("Unexpected element type in feature: F expecting type: int64"));
  EXPECT_EQ(error(R"({"examples": [{"F": {"b64": "A"}}]})"), Error("Unable to base64 decode"));
  EXPECT_THAT(error(R"({"examples": [{"F": 9223372036854775808}]})"), HasSubstr("int64"));
  EXPECT_THAT(error(R"({"examples": [{}], "signature_name": "zz"})"),
              HasSubstr("No signature was found with the name: zz"));
  EXPECT_THAT(error(R"({"examples": [{}], "context": 5})"),
              HasSubstr("Context must be JSON object but got JSON Number"));
  EXPECT_THAT(error("{\"examples\": " + std::string(500'000, '[')), HasSubstr("JSON Parse error"));
}

TEST_F(ExamplesApiTest, ContextComesFirst) {
  EXPECT_EQ(Regress(R"({"examples": [{"a": 1}], "context": {"b": 2}})"), R"({"results":[3.5]})");
  const std::string context = Example(R"({"b": 2})"), example = Example(R"({"a": 1})");
  Regress(R"({"examples": [{"a": 1}], "context": {"b": 2}})");
  EXPECT_EQ(examples_[0], context + example);
}

TEST_F(TfsApiTest, RequestsAreLoggedAsMessages) {
  Predict(R"({"instances": [1.5]})");
  Predict(R"({"instances": ["wrong"]})");
  ASSERT_EQ(front_end_->log.records.size(), 1u);
  const LogRecord& record = front_end_->log.records[0];
  EXPECT_EQ(record.kind, LogKind::kPredict);
  EXPECT_EQ(record.version, 3);
  EXPECT_EQ(record.signature, "serving_default");
  const auto message = ParsePredict(record.request);
  ASSERT_TRUE(message.ok());
  const auto request = PredictRequestOf(*message);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->inputs[0].first, "x");
  EXPECT_EQ(request->inputs[0].second.ToString(), "float[1] 1.5");
  front_end_->log.sampled = "other";
  Predict(R"({"instances": [1.5]})");
  EXPECT_EQ(front_end_->log.records.size(), 1u);
}

TEST_F(ExamplesApiTest, RequestsAreLoggedAsMessages) {
  Regress(R"({"examples": [{"a": 1}], "context": {"b": 2}})");
  ASSERT_EQ(front_end_.log.records.size(), 1u);
  const LogRecord& record = front_end_.log.records[0];
  EXPECT_EQ(record.kind, LogKind::kRegress);
  tensorflow::serving::RegressionRequest request;
  ASSERT_TRUE(request.ParseFromString(record.request));
  EXPECT_EQ(request.model_spec().name(), "m");
  const std::string& example = request.input().example_list().examples(0);
  EXPECT_EQ(example, examples_[0]);
  tensorflow::serving::RegressionResponse response;
  ASSERT_TRUE(response.ParseFromString(record.response));
  EXPECT_EQ(response.result().regressions(0).value(), 3.5f);
}

TEST(MetricsOfRestTest, CountsRequests) {
  TestFrontEnd front_end;
  AddEcho(&front_end.manager, "m", 1, {{"serving_default", EchoSignature({{"x", ramet::kFloat}})}});
  front_end.front_end.ServeMetrics("/monitoring/prometheus/metrics");
  front_end.Post("/v1/models/m:predict", R"({"instances": [1]})");
  front_end.Post("/v1/models/m:predict", "{}");
  front_end.Post("/v1/models/random123:predict", R"({"instances": [1]})");
  const std::string text = front_end.Get("/monitoring/prometheus/metrics").body;
  EXPECT_THAT(text, HasSubstr("request_count{model_name=\"m\",status=\"OK\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("request_count{model_name=\"m\",status=\"INVALID_ARGUMENT\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("request_count{model_name=\"unknown\",status=\"NOT_FOUND\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("random123")));
  EXPECT_THAT(text, HasSubstr("API=\"predict\",entrypoint=\"REST\""));
}

TEST(FrontEndTest, HealthAndUnknownPaths) {
  TestFrontEnd front_end;
  EXPECT_EQ(front_end.Get("/healthz").status, 200);
  EXPECT_EQ(front_end.Get("/readyz").status, 200);
  front_end.manager.ready = false;
  EXPECT_EQ(front_end.Get("/healthz").status, 200);
  EXPECT_EQ(front_end.Get("/readyz").status, 503);
  const HttpResponse unknown = front_end.Get("/x");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.content_type, "text/html");
}

}  // namespace
}  // namespace server
