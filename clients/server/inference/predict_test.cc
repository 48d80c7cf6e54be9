#include "inference/predict.h"

#include "inference/inference_testing.h"

namespace server {
namespace {

namespace rm = ramet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

class PredictTest : public ::testing::Test {
 protected:
  PredictTest() {
    rm::Signature& signature = version_->all["serving_default"];
    signature.inputs = {{"a", TensorOf("a:0", rm::kFloat)}, {"b", TensorOf("b:0", rm::kInt32)}};
    signature.outputs = {{"y", TensorOf("y:0", rm::kFloat)}, {"z", TensorOf("z:0", rm::kFloat)}};
    version_->results = {{"y:0", rm::Tensor(1.0f)}, {"z:0", rm::Tensor(2.0f)}};
  }
  rm::StatusOr<PredictResponse> Ask(PredictRequest request) {
    rm::StatusOr<PredictResponse> answer = rm::Internal("not answered");
    Predict(version_, std::move(request), {},
            [&](rm::StatusOr<PredictResponse> got) { answer = std::move(got); });
    return answer;
  }
  std::string Problem(PredictRequest request, rm::Code code = rm::Code::kInvalidArgument) {
    const rm::Status status = Ask(std::move(request)).status();
    EXPECT_EQ(status.code(), code) << status.ToString();
    return status.message();
  }

  std::shared_ptr<FakeVersion> version_ = std::make_shared<FakeVersion>();
  const std::pair<std::string, rm::Tensor> a_ = {"a", rm::Tensor(1.0f)}, b_ = {"b", rm::Tensor(2)};
};

TEST_F(PredictTest, RunsTheSignature) {
  const auto answer = Ask({.inputs = {b_, a_}});
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_EQ(answer->signature_name, "serving_default");
  EXPECT_EQ(answer->answered_by.version, 3);
  ASSERT_THAT(answer->outputs, SizeIs(2));
  EXPECT_EQ(answer->outputs[0].first, "y");
  EXPECT_EQ(answer->outputs[1].second.scalar<float>(), 2);
  EXPECT_THAT(version_->last.feeds, ElementsAre("a:0", "b:0"));
}

TEST_F(PredictTest, ComputesOnlyTheOutputsOfTheFilter) {
  const auto answer = Ask({.inputs = {a_, b_}, .output_filter = {"z"}});
  ASSERT_THAT(answer->outputs, SizeIs(1));
  EXPECT_EQ(answer->outputs[0].first, "z");
  EXPECT_THAT(version_->last.fetches, ElementsAre("z:0"));
  EXPECT_EQ(Problem({.inputs = {a_, b_}, .output_filter = {"x"}}),
            "output tensor alias not found in signature: x Outputs expected to be in the set "
            "{y,z}.");
  EXPECT_EQ(Problem({.inputs = {a_, b_}, .output_filter = {"y", "y"}}),
            "duplicate output tensor alias: y");
}

// Otherwise clients could fill the memory with plans.
TEST_F(PredictTest, SetsOfManyOutputsAreComputedTogether) {
  rm::Signature& signature = version_->all["serving_default"];
  for (int i = 0; i < 20; ++i) {
    const std::string name = rm::StrCat("o", i);
    signature.outputs[name] = TensorOf(name + ":0", rm::kFloat);
    version_->results[name + ":0"] = rm::Tensor(static_cast<float>(i));
  }
  const auto answer = Ask({.inputs = {a_, b_}, .output_filter = {"o7", "o3"}});
  EXPECT_THAT(version_->last.fetches, SizeIs(22));
  ASSERT_THAT(answer->outputs, SizeIs(2));
  EXPECT_EQ(answer->outputs[0].second.scalar<float>(), 3);
  EXPECT_EQ(answer->outputs[1].second.scalar<float>(), 7);
}

TEST_F(PredictTest, SaysWhatIsWrongWithTheInputs) {
  EXPECT_EQ(Problem({.inputs = {a_}}),
            "input size does not match signature: 1!=2 len({a}) != len({a,b}). Sent extra: {}. "
            "Missing but required: {b}.");
  EXPECT_THAT(Problem({.inputs = {a_, {"c", rm::Tensor(1)}}}),
              HasSubstr("b not found in request and no default value provided"));
  EXPECT_THAT(Problem({.inputs = {a_, a_}}), HasSubstr("b not found in request"));
  EXPECT_THAT(Problem({.inputs = {a_, {"b", rm::Tensor(1.0f)}}}),
              HasSubstr("to be int32 but float is provided"));
  EXPECT_EQ(Problem({.signature_name = "s", .inputs = {a_, b_}}, rm::Code::kFailedPrecondition),
            "Serving signature key \"s\" not found.");
}

TEST_F(PredictTest, DefaultsReplaceMissingInputs) {
  version_->all["serving_default"].defaults["b"] = rm::Tensor(5);
  ASSERT_TRUE(Ask({.inputs = {a_}}).ok());
  EXPECT_EQ(version_->fed[1].scalar<int32_t>(), 5);
  ASSERT_TRUE(Ask({.inputs = {a_, b_}}).ok());
  EXPECT_EQ(version_->fed[1].scalar<int32_t>(), 2);
  EXPECT_THAT(Problem({.inputs = {b_}}), HasSubstr("a not found in request"));
  EXPECT_THAT(Problem({.inputs = {a_, {"c", rm::Tensor(1)}}}), HasSubstr("Sent extra: {c}"));
}

TEST_F(PredictTest, RefusesSparseInputs) {
  version_->all["serving_default"].inputs["b"].name = "";
  EXPECT_THAT(Problem({.inputs = {a_, b_}}, rm::Code::kUnimplemented), HasSubstr("sparse"));
}

}  // namespace
}  // namespace server
