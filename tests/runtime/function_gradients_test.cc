// Tests gradients of calls of functions built here: their values and the resulting calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Values = std::vector<Output>;
using Build = std::function<Values(Graph&, const Values&)>;

// Defines a function of `types`. Returns a reference to it.
FunctionRef Define(Graph& graph, const std::string& name, const std::vector<DType>& types,
                   const Build& build) {
  auto body = NewFunctionGraph(graph);
  FunctionSpec spec{.name = name};
  for (DType t : types) {
    spec.args.push_back(AddOp(*body, "Placeholder", {}, {{"dtype", t}}, "x").output(0));
  }
  spec.returns = build(*body, spec.args);
  const Status defined = DefineFunction(graph, *body, spec);
  EXPECT_TRUE(defined.ok()) << defined.ToString();
  return {name, std::make_shared<const AttrMap>()};
}

Values Cube(Graph&, const Values& x) { return {x[0] * x[0] * x[0]}; }
Values Twice(Graph&, const Values& x) { return {x[0] + x[0]}; }

class FunctionGradientsTest : public ::testing::Test {
 protected:
  FunctionGradientsTest() { x_ = scope_.Placeholder("x", DType::kFloat, Shape()); }

  Output Gradient(const Output& y) {
    auto grads = Gradients({y}, {x_});
    EXPECT_TRUE(grads.ok()) << grads.status().ToString();
    return grads.ok() ? (*grads)[0].values : Output();
  }

  std::vector<float> Run(const Values& fetches, float x, const Feeds& more = {}) {
    auto session = Session::Create(graph_);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    Feeds feeds = more;
    feeds.push_back({x_, Tensor(x)});
    auto run = session->Run(feeds, std::vector<GraphElement>(fetches.begin(), fetches.end()));
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    std::vector<float> values;
    for (size_t i = 0; run.ok() && i < fetches.size(); ++i) {
      values.push_back(run.value()[i].scalar<float>());
    }
    return values;
  }

  Graph graph_;
  Scope scope_{graph_};
  Output x_;
};

TEST_F(FunctionGradientsTest, ACallAndItsSecondGradient) {
  const FunctionRef cube = Define(graph_, "cube", {DType::kFloat}, Cube);
  const Output y =
      AddOp(graph_, "PartitionedCall", {x_}, {{"f", cube}, {"Tout", std::vector{DType::kFloat}}})
          .output(0);
  const Output first = Gradient(y), second = Gradient(first);
  EXPECT_THAT(Run({y, first, second}, 2), ElementsAre(8, 12, 12));
}

// Defines `depth` functions, each a loop over the previous one, and returns the outermost loop.
Output NestLoops(Graph& graph, const Output& x, int depth) {
  const std::vector<DType> one = {DType::kFloat};
  const auto below = [](const Values& v) {
    return AddOp(*v[0].graph(), "Less", {v[0], 100.0f}).output(0);
  };
  const FunctionRef goes_on =
      Define(graph, "goes_on", one, [&](Graph&, const Values& v) { return Values{below(v)}; });
  const auto loop = [&](Graph& g, const Values& v, const FunctionRef& body) {
    return Values{
        AddOp(g, "StatelessWhile", {v[0]}, {{"body", body}, {"cond", goes_on}, {"T", one}})
            .output(0)};
  };
  FunctionRef body = Define(graph, "f0", one, Twice);
  for (int i = 1; i < depth; ++i) {
    body = Define(graph, StrCat("f", i), one,
                  [&](Graph& g, const Values& v) { return loop(g, v, body); });
  }
  return loop(graph, {x}, body)[0];
}

TEST_F(FunctionGradientsTest, NestedLoopsAreDifferentiatedThreeTimes) {
  const Output y = NestLoops(graph_, x_, 8) * x_;
  const Output first = Gradient(y), second = Gradient(first), third = Gradient(second);
  // Seven iterations double x: y = 128 x * x.
  EXPECT_THAT(Run({y, first, second, third}, 1), ElementsAre(128, 256, 256, 0));
}

TEST_F(FunctionGradientsTest, TooManyNestedLoopsAreAnError) {
  const Output y = NestLoops(graph_, x_, 90) * x_;
  const Output first = Gradient(y);
  const auto second = Gradients({first}, {x_});
  EXPECT_EQ(second.status().code(), Code::kResourceExhausted);
  EXPECT_THAT(second.status().message(), HasSubstr("function 'f89"));
  EXPECT_THAT(second.status().message(), HasSubstr("nodes; the limit is 100000"));
  EXPECT_THAT(Run({y, first}, 1), ElementsAre(128, 256));
}

TEST_F(FunctionGradientsTest, ACallByNameGetsASymbolicGradient) {
  Define(graph_, "cube", {DType::kFloat}, Cube);
  const Output y = AddOp(graph_, "cube", {x_}).output(0);
  const Output first = Gradient(y), second = Gradient(first);
  EXPECT_EQ(first.op().type(), "SymbolicGradient");
  EXPECT_THAT(Run({y, first, second}, 2), ElementsAre(8, 12, 12));
}

TEST_F(FunctionGradientsTest, TheBranchThatWasTaken) {
  const FunctionRef yes = Define(graph_, "yes", {DType::kFloat}, Cube);
  const FunctionRef no = Define(graph_, "no", {DType::kFloat}, Twice);
  const Output pred = scope_.Placeholder("pred", DType::kBool, Shape());
  const Output y =
      AddOp(graph_, "If", {pred, x_},
            {{"then_branch", yes}, {"else_branch", no}, {"Tout", std::vector{DType::kFloat}}})
          .output(0);
  const Output gradient = Gradient(y);
  EXPECT_EQ(gradient.op().type(), "StatelessIf");
  EXPECT_THAT(Run({y, gradient}, 2, {{pred, Tensor(true)}}), ElementsAre(8, 12));
  EXPECT_THAT(Run({y, gradient}, 2, {{pred, Tensor(false)}}), ElementsAre(4, 2));
}

TEST_F(FunctionGradientsTest, ALoop) {
  const std::vector types = {DType::kInt32, DType::kFloat, DType::kFloat};
  const FunctionRef cond = Define(graph_, "cond", types, [](Graph& g, const Values& v) {
    return Values{AddOp(g, "Less", {v[0], 3}).output(0)};
  });
  const FunctionRef body = Define(graph_, "body", types, [](Graph&, const Values& v) {
    return Values{v[0] + 1, v[1] * v[2], v[2]};
  });
  const Output one = Constant(graph_, Tensor(1.0f));
  const Operation loop = AddOp(graph_, "While", {Constant(graph_, Tensor(int32_t{0})), one, x_},
                               {{"cond", cond}, {"body", body}});
  const Output y = loop.output(1);
  const Output first = Gradient(y), second = Gradient(first);
  EXPECT_THAT(Run({y, first, second}, 2), ElementsAre(8, 12, 12));
}

TEST_F(FunctionGradientsTest, ErrorsNameTheFunction) {
  const FunctionRef gone = {"gone", std::make_shared<const AttrMap>()};
  const Output y =
      AddOp(graph_, "PartitionedCall", {x_}, {{"f", gone}, {"Tout", std::vector{DType::kFloat}}})
          .output(0);
  EXPECT_THAT(Gradients({y}, {x_}).status().message(), HasSubstr("Function 'gone'"));
}

}  // namespace
}  // namespace ramet
