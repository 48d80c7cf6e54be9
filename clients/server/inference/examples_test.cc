#include "inference/examples.h"

#include "inference/inference_testing.h"

namespace server {
namespace {

namespace rm = ramet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kClassify[] = "tensorflow/serving/classify";
constexpr char kRegress[] = "tensorflow/serving/regress";

class ExamplesTest : public ::testing::Test {
 protected:
  ExamplesTest() {
    Add("c", kClassify, {{"classes", "classes:0"}, {"scores", "scores:0"}});
    Add("r", kRegress, {{"outputs", "values:0"}});
    version_->results["classes:0"] =
        rm::Tensor::Vector<std::string>({"p", "q", "r", "s"}).Reshaped(rm::Shape{2, 2});
    version_->results["scores:0"] = rm::Tensor::Of<float>(rm::Shape{2, 2}, {1, 2, 3, 4});
    version_->results["values:0"] = rm::Tensor::Of<float>(rm::Shape{2, 1}, {5, 6});
  }
  void Add(const std::string& key, const std::string& method,
           const std::map<std::string, std::string>& outputs) {
    rm::Signature& signature = version_->all[key];
    signature.method_name = method;
    signature.inputs = {{"inputs", TensorOf("in:0", rm::DType::kString)}};
    for (const auto& [name, tensor] : outputs) {
      signature.outputs[name] = TensorOf(tensor, rm::kFloat);
    }
  }
  template <class Result, class Function>
  rm::StatusOr<ExamplesResponse<Result>> Ask(Function function, ExamplesRequest request) {
    rm::StatusOr<ExamplesResponse<Result>> answer = rm::Internal("not answered");
    function(version_, std::move(request), RunLimits(),
             [&](rm::StatusOr<ExamplesResponse<Result>> got) { answer = std::move(got); });
    return answer;
  }
  auto AskClassify(ExamplesRequest request) {
    return Ask<Classifications>(Classify, std::move(request));
  }
  auto AskRegress(ExamplesRequest request) { return Ask<Regressions>(Regress, std::move(request)); }
  rm::StatusOr<ExamplesResponse<std::vector<TaskResult>>> AskTasks(
      const std::vector<InferenceTask>& tasks) {
    rm::StatusOr<ExamplesResponse<std::vector<TaskResult>>> answer = rm::Internal("not answered");
    MultiInference(version_, tasks, {.examples = {"a", "b"}}, {},
                   [&](auto got) { answer = std::move(got); });
    return answer;
  }

  std::shared_ptr<FakeVersion> version_ = std::make_shared<FakeVersion>();
};

TEST_F(ExamplesTest, Classifies) {
  const auto answer = AskClassify({.signature_name = "c", .examples = {"a", "b"}, .context = "x"});
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_EQ(answer->result[1][0].label, "r");
  EXPECT_EQ(answer->result[1][0].score, 3);
  EXPECT_THAT(version_->fed.at(0).flat<std::string>(), ElementsAre("xa", "xb"));
  EXPECT_THAT(version_->last.feeds, ElementsAre("in:0"));
}

TEST_F(ExamplesTest, ClassesOrScoresMayBeMissing) {
  version_->all["c"].outputs.erase("scores");
  EXPECT_EQ(AskClassify({.signature_name = "c", .examples = {"a", "b"}})->result[0][1].score, 0);
  Add("s", kClassify, {{"scores", "scores:0"}});
  EXPECT_EQ(AskClassify({.signature_name = "s", .examples = {"a", "b"}})->result[0][1].label, "");
}

TEST_F(ExamplesTest, Regresses) {
  const auto answer = AskRegress({.signature_name = "r", .examples = {"a", "b"}});
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_THAT(answer->result, ElementsAre(5, 6));
}

TEST_F(ExamplesTest, ChecksTheRequestAndTheSignature) {
  const auto problem = [&](ExamplesRequest request) {
    const rm::Status status = AskClassify(std::move(request)).status();
    EXPECT_TRUE(rm::IsInvalidArgument(status)) << status.ToString();
    return status.message();
  };
  EXPECT_EQ(problem({.signature_name = "c"}), "Input is empty.");
  EXPECT_EQ(problem({.examples = {"a"}}), "No signature was found with the name: serving_default");
  EXPECT_THAT(problem({.signature_name = "r", .examples = {"a"}}),
              HasSubstr("Expected classification signature outputs to contain at least one of"));
  EXPECT_EQ(AskRegress({.signature_name = "c", .examples = {"a"}}).status().message(),
            "Expected one output Tensor.");
  version_->all["c"].inputs = {{"x", TensorOf("in:0", rm::DType::kString)}};
  EXPECT_THAT(problem({.signature_name = "c", .examples = {"a"}}),
              HasSubstr("No classification inputs found in SignatureDef"));
  version_->all["c"].inputs["y"] = TensorOf("y:0", rm::kFloat);
  EXPECT_EQ(problem({.signature_name = "c", .examples = {"a"}}), "Expected one input Tensor.");
}

TEST_F(ExamplesTest, ChecksTheResults) {
  const auto problem = [&] {
    return AskClassify({.signature_name = "c", .examples = {"a", "b"}}).status().message();
  };
  version_->results["scores:0"] = rm::Tensor::Of<float>(rm::Shape{2, 1}, {1, 2});
  EXPECT_THAT(problem(), HasSubstr("should match in dim_size(1)"));
  version_->results["scores:0"] = rm::Tensor(1.0f);
  EXPECT_THAT(problem(), HasSubstr("Expected Tensor shape: [batch_size num_classes]"));
  version_->results["scores:0"] = rm::Tensor::Of<float>(rm::Shape{1, 2}, {1, 2});
  EXPECT_THAT(problem(), HasSubstr("batch size of 2. Got: 1"));
  version_->results["scores:0"] = rm::Tensor::Of<int32_t>(rm::Shape{2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(problem(), HasSubstr("Expected scores Tensor of float. Got: int32"));
  version_->results["values:0"] = rm::Tensor(1.0f);
  EXPECT_THAT(
      AskRegress({.signature_name = "r", .examples = {"a", "b"}}).status().message(),
      HasSubstr("Expected output Tensor shape to be either [batch_size] or [batch_size, 1]"));
}

TEST_F(ExamplesTest, RunsSeveralHeadsAtOnce) {
  const auto answer = AskTasks({{"r", kRegress}, {"c", kClassify}});
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_THAT(std::get<Regressions>(answer->result[0]), ElementsAre(5, 6));
  EXPECT_EQ(std::get<Classifications>(answer->result[1])[0][1].label, "q");
  const RunTensors first = version_->last;
  ASSERT_TRUE(AskTasks({{"c", kClassify}, {"r", kRegress}}).ok());
  EXPECT_EQ(version_->last, first);
  EXPECT_EQ(AskTasks({{"r", kRegress}, {"r", kRegress}}).status().message(),
            "Duplicate evaluation of signature: r");
  const auto unknown = AskTasks({{"r", "m"}}).status();
  EXPECT_TRUE(rm::IsUnimplemented(unknown));
  EXPECT_EQ(unknown.message(), "Unsupported signature method_name: m");
  EXPECT_EQ(AskTasks({{"x", kRegress}}).status().message(),
            "Requested signature not found in model graph: x");
}

}  // namespace
}  // namespace server
