// Tests how builders make and use resource variables, node for node like TensorFlow
// (tests/data/resource_layout.txt, written by gen_resource_layout.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "graph_text.h"

namespace ramet {
namespace {

using Lines = std::vector<std::string>;

std::map<std::string, Lines> ReadLayouts() {
  std::map<std::string, Lines> layouts;
  std::ifstream file(RAMET_RESOURCE_LAYOUT);
  std::string line, title;
  while (std::getline(file, line)) {
    if (line.starts_with("# ")) {
      title = line.substr(2);
    } else {
      layouts[title].push_back(line);
    }
  }
  return layouts;
}

std::string LineOf(const Graph& graph, const Operation& op) {
  Lines parts = {op.name(), op.type()};
  for (const std::string& in : testing::InputNames(graph, op.name())) parts.push_back(in);
  Lines groups = op.attrs()->GetOr<Lines>("_class", {});
  std::ranges::sort(groups);
  parts.insert(parts.end(), groups.begin(), groups.end());
  return StrJoin(parts, " ");
}

Lines LayoutOf(const Graph& graph) {
  Lines lines;
  for (int i = 0; i < graph.num_operations(); ++i) {
    const Operation op = graph.operation(i);
    const bool gradient = op.name().starts_with("gradients/");
    if (gradient && op.name().find("rows_grad") == std::string::npos) continue;
    lines.push_back(LineOf(graph, op));
  }
  return lines;
}

std::unique_ptr<Optimizer> MakeOptimizer(const std::string& name) {
  if (name == "GradientDescent") return std::make_unique<GradientDescent>(0.5);
  if (name == "Momentum") return std::make_unique<Momentum>(0.5, 0.9);
  if (name == "Adam") return std::make_unique<Adam>(0.5);
  if (name == "Adagrad") return std::make_unique<Adagrad>(0.5);
  return std::make_unique<RMSProp>(0.5, RMSPropOptions{.centered = name == "CenteredRMSProp"});
}

struct Model {
  Graph graph;
  Variable w, b, step;
  Operation train;
};

void Build(Model& model, const std::string& optimizer, bool sparse) {
  Graph& g = model.graph;
  Scope s(g);
  {
    Scope a(g, "a", {.use_resource = true});
    model.w = a.GetVariable("w", {4, 3}, Zeros());
  }
  model.b = s.NewVariable(Tensor::Vector<float>({1, 2, 3}), "b", {.use_resource = true});
  model.step = s.GetVariable(
      "global_step", Shape(),
      {.initializer = Zeros(), .dtype = kInt64, .trainable = false, .use_resource = true});
  Output x = s.Placeholder("x", kFloat, {-1, 4});
  Output y;
  if (sparse) {
    Output ids = s.Placeholder("ids", kInt32, {-1});
    y = AddOp(g, "ResourceGather", {model.w, ids}, {{"dtype", kFloat}}, "rows").output(0);
  } else {
    y = MatMul(x, model.w) + model.b;
  }
  Output loss = ReduceSum(y, {}, {.name = "loss"});
  (void)(model.w * 2.0);
  model.train = MakeOptimizer(optimizer)->Minimize(loss, {.global_step = model.step});
}

class ResourceLayoutTest : public ::testing::TestWithParam<std::pair<std::string, bool>> {};

TEST_P(ResourceLayoutTest, IsTensorFlows) {
  const auto& [optimizer, sparse] = GetParam();
  Model model;
  Build(model, optimizer, sparse);
  ASSERT_TRUE(model.graph.status().ok()) << model.graph.status().ToString();
  const auto layouts = ReadLayouts();
  const auto expected = layouts.find(optimizer + (sparse ? " sparse" : " dense"));
  ASSERT_NE(expected, layouts.end());
  const Lines found = LayoutOf(model.graph);
  for (size_t i = 0; i < std::min(found.size(), expected->second.size()); ++i) {
    ASSERT_EQ(found[i], expected->second[i]) << "node " << i;
  }
  EXPECT_EQ(found.size(), expected->second.size());
}

INSTANTIATE_TEST_SUITE_P(All, ResourceLayoutTest, ::testing::ValuesIn([] {
                           std::vector<std::pair<std::string, bool>> all;
                           for (const char* name : {"GradientDescent", "Momentum", "Adam",
                                                    "Adagrad", "RMSProp", "CenteredRMSProp"}) {
                             all.push_back({name, false});
                             all.push_back({name, true});
                           }
                           return all;
                         }()),
                         [](const auto& info) {
                           return info.param.first + (info.param.second ? "Sparse" : "Dense");
                         });

// The record corresponds to VariableDef.
TEST(ResourceVariableTest, Record) {
  Model model;
  Build(model, "GradientDescent", false);
  const VariableRecord& record = model.w.record();
  EXPECT_TRUE(record.is_resource);
  EXPECT_EQ(model.w.name(), "a/w:0");
  EXPECT_EQ(model.w.dtype(), kFloat);
  EXPECT_EQ(model.w.shape(), (Shape{4, 3}));
  EXPECT_EQ(record.initializer.name(), "a/w/Assign");
  EXPECT_EQ(record.snapshot.name(), "a/w/Read/ReadVariableOp:0");
  EXPECT_EQ(record.initial_value.name(), "a/w/Initializer/zeros:0");
  EXPECT_EQ(model.b.record().initial_value.name(), "b/Initializer/initial_value:0");
}

// Both kinds of variables take the same values in training, dense and sparse.
TEST(ResourceVariableTest, TrainsLikeReferenceVariables) {
  for (const char* name :
       {"GradientDescent", "Momentum", "Adam", "Adagrad", "RMSProp", "CenteredRMSProp"}) {
    std::vector<Tensor> values;
    for (bool resource : {false, true}) {
      Graph g;
      Scope s(g, "m", {.use_resource = resource});
      Variable v = s.GetVariable("v", {3, 2},
                                 ConstantInit(Tensor::Of<float>({3, 2}, {1, -2, 3, 0.5, -1, 2})));
      Output rows =
          resource ? AddOp(g, "ResourceGather", {v, Tensor::Vector<int32_t>({0, 2, 2})},
                           {{"dtype", kFloat}})
                         .output(0)
                   : AddOp(g, "Gather", {v.ref(), Tensor::Vector<int32_t>({0, 2, 2})}).output(0);
      auto optimizer = MakeOptimizer(name);
      Operation dense = optimizer->Minimize(ReduceSum(Square(v)));
      Operation sparse = optimizer->Minimize(ReduceSum(Square(rows)), {.name = "rows"});
      Operation init = s.GlobalVariablesInitializer();
      Session session = Session::Create(g).value();
      session.Run(init).value();
      for (int i = 0; i < 3; ++i) {
        session.Run(dense).value();
        auto run = session.Run(sparse);
        ASSERT_TRUE(run.ok()) << run.status().ToString();
      }
      values.push_back(session.Value(v).value());
    }
    EXPECT_TRUE(values[0].BitwiseEquals(values[1]))
        << name << ": " << values[0].ToString() << " and " << values[1].ToString();
  }
}

}  // namespace
}  // namespace ramet
