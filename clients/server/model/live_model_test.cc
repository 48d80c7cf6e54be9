// Tests of models that follow a publisher.

#include <optional>

#include "model/default_signature.h"
#include "model/model_testing.h"

namespace server {
namespace {

namespace rm = ramet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LiveModelTest : public ModelTest {
 protected:
  // y = w * x, and what a trainer adds to it.
  LiveModelTest() : scope_(graph_) {
    const rm::Output x = scope_.Placeholder("x", rm::kFloat, {-1, 1});
    w_ = scope_.NewVariable(rm::Tensor::Of<float>(rm::Shape{1}, {1}), "w");
    y_ = rm::AddOp(graph_, "Mul", {x, w_}, {}, "y").output(0);
    const rm::Output label = scope_.Placeholder("label", rm::kFloat, {-1, 1});
    rm::AddOp(graph_, "SquaredDifference", {y_, label}, {}, "loss");
    session_.emplace(rm::Session::Create(graph_).value());
    EXPECT_TRUE(session_->InitializeMissing().ok());
  }
  static std::string Address() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return rm::StrCat("shm:", test->test_suite_name(), " ", getpid(), " ", test->name());
  }
  rm::Publisher Open() { return rm::Publisher::Open(Address(), *session_).value(); }
  void Set(float w) {
    ASSERT_TRUE(session_->Assign(w_, rm::Tensor::Of<float>(rm::Shape{1}, {w})).ok());
  }
  ModelConfig Live(const std::string& label = "") const {
    return {.name = "policy", .source = Address() + label};
  }

  rm::Graph graph_;
  rm::Scope scope_;
  rm::Variable w_;
  rm::Output y_;
  std::optional<rm::Session> session_;
};

TEST_F(LiveModelTest, OffersThePublishedSignatures) {
  const auto x = graph_.Tensor("x:0").value();
  const rm::PublisherOptions options{
      .signature_defs = {
          {"score",
           rm::SerializeSignature(rm::MakeSignature({{"in", x}}, {{"score", y_}})).value()}}};
  auto publisher = rm::Publisher::Open(Address(), *session_, options).value();
  ASSERT_TRUE(publisher.Publish().ok());
  ASSERT_TRUE(manager().Reload({Live()}).ok());
  const auto signatures = manager().Find({.name = "policy"}).value()->signatures();
  ASSERT_EQ(signatures->size(), 1u);
  EXPECT_EQ(signatures->at("score").inputs.at("in").name, "x:0");
  EXPECT_EQ(signatures->at("score").outputs.at("score").name, "y:0");
}

TEST_F(LiveModelTest, FollowsThePublisher) {
  auto publisher = Open();
  ASSERT_TRUE(publisher.Publish({.step = 10}).ok());
  ASSERT_TRUE(manager().Reload({Live()}).ok());
  const auto version = manager().Find({.name = "policy"}).value();
  EXPECT_EQ(version->number(), 1);
  EXPECT_EQ(Ask({.name = "policy"}, 3).value(), 3);
  Set(2);
  ASSERT_TRUE(publisher.Publish({.step = 20}).ok());
  ASSERT_TRUE(Eventually([&] { return Ask({.name = "policy"}).value() == 2; }));
  rm::StatusOr<PredictResponse> answer = rm::Internal("not answered");
  Predict(version, {.inputs = {{"x", rm::Tensor::Of<float>(rm::Shape{1, 1}, {5})}}}, {},
          [&](rm::StatusOr<PredictResponse> got) { answer = std::move(got); });
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_EQ(answer->answered_by.version, 2);
  EXPECT_EQ(answer->answered_by.step, 20);
  EXPECT_EQ(answer->outputs[0].first, "y");
  EXPECT_EQ(manager().Status({.name = "policy"}).value().at(0).version, 2);
  EXPECT_EQ(Ask({.name = "policy", .version = 2}).value(), 2);
  EXPECT_THAT(Ask({.name = "policy", .version = 1}).status().message(),
              HasSubstr("Servable not found for request: Specific(policy, 1)"));
  EXPECT_EQ(Ask({.name = "policy", .label = "x"}).status().code(), rm::Code::kInvalidArgument);
}

TEST_F(LiveModelTest, WaitsForThePublisherAndItsFirstVersion) {
  ASSERT_TRUE(manager().Reload({Live()}).ok());
  EXPECT_FALSE(manager().Ready());
  EXPECT_EQ(manager().Status({.name = "policy"}).value().at(0).state, VersionState::kLoading);
  auto publisher = Open();
  EXPECT_TRUE(rm::IsNotFound(Ask({.name = "policy"}).status()));
  ASSERT_TRUE(publisher.Publish().ok());
  EXPECT_TRUE(Eventually([&] { return manager().Ready(); }));
  EXPECT_EQ(Ask({.name = "policy"}).value(), 1);
}

TEST_F(LiveModelTest, KeepsTheLastVersionWhenThePublisherEnds) {
  std::optional<rm::Publisher> publisher = Open();
  Set(4);
  ASSERT_TRUE(publisher->Publish().ok());
  ASSERT_TRUE(manager().Reload({Live()}).ok());
  publisher.reset();
  EXPECT_TRUE(Eventually([&] { return !manager().Reports().at(0).connected; }));
  EXPECT_EQ(Ask({.name = "policy"}).value(), 4);
  Set(5);
  publisher = Open();
  ASSERT_TRUE(publisher->Publish().ok());
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "policy"}).value() == 5; }));
}

// A model logs once why it cannot connect, so a model that was started again would do so twice.
TEST_F(LiveModelTest, AReloadKeepsAModelWhoseAddressHasAPassword) {
  int lines = 0;
  rm::SetLogSink([&](rm::LogLevel, std::string_view line) {
    lines += line.find("model 'policy': ") != std::string_view::npos;
  });
  const ModelConfig config{.name = "policy", .source = "redis://user:secret@localhost:1/policy"};
  EXPECT_TRUE(manager().Reload({config}).ok());
  EXPECT_TRUE(manager().Reload({config}).ok());
  EXPECT_EQ(manager().Reports().at(0).source, "redis://user:***@localhost:1/policy");
  manager_.reset();
  rm::SetLogSink({});
  EXPECT_EQ(lines, 1);
}

TEST_F(LiveModelTest, TheSignatureIsWhatATrainerMeans) {
  auto publisher = Open();
  ASSERT_TRUE(publisher.Publish().ok());
  ASSERT_TRUE(manager().Reload({Live()}).ok());
  const auto signatures = manager().Find({.name = "policy"}).value()->signatures();
  const rm::Signature& signature = signatures->at("serving_default");
  ASSERT_EQ(signature.inputs.size(), 1);
  EXPECT_EQ(signature.inputs.at("x").name, "x:0");
  ASSERT_EQ(signature.outputs.size(), 1);
  EXPECT_EQ(signature.outputs.at("y").name, "y:0");
}

TEST_F(LiveModelTest, ALossWithoutLabelsIsNoOutput) {
  for (const bool activated : {false, true}) {
    rm::Graph graph;
    rm::Scope s(graph);
    const rm::Output x = s.Placeholder("x", rm::kFloat, {-1, 3});
    const rm::Variable w = s.GetVariable("w", {3, 2}, rm::Ones());
    rm::Output y = rm::MatMul(x, w);
    if (activated) y = rm::AddOp(graph, "Sigmoid", {y}).output(0);
    const rm::Output loss = rm::ReduceMean(rm::Square(y - 1.0f));
    rm::GradientDescent(0.1).Minimize(loss);
    const rm::Signature signature = DefaultSignature(graph, {}).value();
    ASSERT_EQ(signature.outputs.size(), 1u);
    EXPECT_EQ(signature.outputs.begin()->second.name, y.name());
  }
}

TEST_F(LiveModelTest, OutputsCanBeNamed) {
  options_.load.outputs = {"loss"};
  auto publisher = Open();
  ASSERT_TRUE(publisher.Publish().ok());
  ASSERT_TRUE(manager().Reload({Live()}).ok());
  const auto signatures = manager().Find({.name = "policy"}).value()->signatures();
  EXPECT_EQ(signatures->at("serving_default").inputs.size(), 2);
  EXPECT_EQ(signatures->at("serving_default").outputs.at("loss").name, "loss:0");
}

TEST_F(LiveModelTest, FollowsALabel) {
  auto publisher = Open();
  ASSERT_TRUE(publisher.Publish().ok());
  ASSERT_TRUE(publisher.Promote("stable", 1).ok());
  Set(2);
  ASSERT_TRUE(publisher.Publish().ok());
  ASSERT_TRUE(manager().Reload({Live("@stable")}).ok());
  EXPECT_EQ(Ask({.name = "policy", .label = "stable"}).value(), 1);
  ModelConfig labelled = Live("@stable");
  labelled.version_labels = {{"stable", 1}};
  EXPECT_TRUE(rm::IsFailedPrecondition(manager().Reload({labelled})));
}

TEST_F(LiveModelTest, ANewGraphReplacesTheOldOne) {
  std::optional<rm::Publisher> publisher = Open();
  ASSERT_TRUE(publisher->Publish().ok());
  ModelConfig config = Live();
  config.batching = BatchingParameters();
  ASSERT_TRUE(manager().Reload({config}).ok());
  EXPECT_EQ(Ask({.name = "policy"}).value(), 1);
  publisher.reset();
  rm::Graph graph;
  rm::Scope scope(graph);
  const rm::Output x = scope.Placeholder("x", rm::kFloat, {-1, 1});
  const rm::Variable w = scope.NewVariable(rm::Tensor::Of<float>(rm::Shape{1}, {7}), "w");
  rm::AddOp(graph, "Add", {x, w}, {}, "sum");
  rm::Session session = rm::Session::Create(graph).value();
  ASSERT_TRUE(session.InitializeMissing().ok());
  publisher = rm::Publisher::Open(Address(), session).value();
  ASSERT_TRUE(publisher->Publish().ok());
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "policy"}).value_or(0) == 8; }));
}

}  // namespace
}  // namespace server
