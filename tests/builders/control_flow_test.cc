#include "ramet/builders/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"
#include "ramet/builders/case.h"
#include "ramet/graph_def/meta_graph.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using testing::Floats;
using ::testing::HasSubstr;
using testing::InputNames;

class ControlFlowTest : public ::testing::Test {
 protected:
  std::vector<std::vector<float>> Run(Graph& graph, const Outputs& outputs,
                                      const std::vector<Feed>& feeds) {
    EXPECT_TRUE(graph.status().ok()) << graph.status().ToString();
    Session session = Session::Create(graph).value();
    auto values = session.Run(feeds, std::vector<GraphElement>(outputs.begin(), outputs.end()));
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    std::vector<std::vector<float>> all;
    if (values.ok()) {
      for (const Tensor& value : *values) all.push_back(Floats(value));
    }
    return all;
  }
  Output Power(const Output& x, const Output& n) {
    Outputs last = WhileLoop(
        s, [&](const Outputs& v) { return Less(v[0], n); },
        [&](const Outputs& v) {
          return Outputs{v[0] + 1, v[1] * x};
        },
        {0, 1.0});
    return last[1];
  }

  Graph g;
  Scope s{g};
};

TEST_F(ControlFlowTest, CondTakesOneBranch) {
  Output x = s.Placeholder("x", kFloat, {2});
  Output p = s.Placeholder("p", kBool, {});
  Outputs y = Cond(
      s, p,
      [&] {
        return Outputs{x * 2, x};
      },
      [&] {
        return Outputs{Exp(x), x + 1};
      });
  EXPECT_EQ(y[0].name(), "cond/Merge:0");
  EXPECT_EQ(y[0].shape(), Shape({2}));
  EXPECT_THAT(InputNames(g, "cond/mul"), ElementsAre("cond/mul/Switch:1", "cond/mul/y:0"));
  const Tensor zeros = Tensor::Vector<float>({0, 0});
  EXPECT_THAT(Run(g, y, {{x, zeros}, {p, true}}),
              ElementsAre(ElementsAre(0, 0), ElementsAre(0, 0)));
  EXPECT_THAT(Run(g, y, {{x, zeros}, {p, false}}),
              ElementsAre(ElementsAre(1, 1), ElementsAre(1, 1)));
}

TEST_F(ControlFlowTest, MismatchedBranchesAreAnError) {
  Output p = s.Placeholder("p", kBool, {});
  Cond(
      s, p, [&] { return Outputs{Constant(g, 1.0f)}; }, [&] { return Outputs{Constant(g, 1)}; });
  EXPECT_THAT(g.status().ToString(), HasSubstr("must have the same type(s)"));
  Graph h;
  Scope t(h);
  Output q = t.Placeholder("p", kBool, {});
  Cond(
      t, q, [&] { return Outputs{q}; }, [&] { return Outputs{}; });
  EXPECT_THAT(h.status().ToString(), HasSubstr("return 1 and 0 tensors"));
}

TEST_F(ControlFlowTest, CaseTakesTheFirstTrueBranch) {
  Output p = s.Placeholder("p", kBool, {}), q = s.Placeholder("q", kBool, {});
  auto give = [&](float value) { return [&, value] { return Outputs{Constant(g, value)}; }; };
  const std::vector<CaseBranch> branches = {{p, give(1)}, {q, give(2)}};
  const Outputs y = Case(s, branches, give(3));
  EXPECT_EQ(y[0].name(), "case/cond/Merge:0");
  EXPECT_TRUE(g.HasOperation("case/cond/cond/Const_1"));
  EXPECT_THAT(Run(g, y, {{p, true}, {q, true}}), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(Run(g, y, {{p, false}, {q, true}}), ElementsAre(ElementsAre(2)));
  EXPECT_THAT(Run(g, y, {{p, false}, {q, false}}), ElementsAre(ElementsAre(3)));
}

TEST_F(ControlFlowTest, CaseChecksItsConditions) {
  Output p = s.Placeholder("p", kBool, {}), q = s.Placeholder("q", kBool, {});
  auto give = [&](float value) { return [&, value] { return Outputs{Constant(g, value)}; }; };
  const std::vector<CaseBranch> branches = {{p, give(1)}, {q, give(2)}};
  const Output no_default = Case(s, branches)[0];
  const Output exclusive = Case(s, branches, give(3), {.exclusive = true, .name = "one"})[0];
  EXPECT_TRUE(g.HasOperation("case/cond/Assert_1/AssertGuard/control_dependency_1"));
  EXPECT_TRUE(g.HasOperation("case/cond/Assert_1/Const"));
  EXPECT_TRUE(g.HasOperation("one/Assert/AssertGuard/Assert/Switch_1"));
  EXPECT_THAT(Run(g, {no_default, exclusive}, {{p, false}, {q, true}}),
              ElementsAre(ElementsAre(2), ElementsAre(2)));
  Session session = Session::Create(g).value();
  EXPECT_THAT(session.Run({{p, false}, {q, false}}, no_default).status().ToString(),
              HasSubstr("Input error: None of conditions evaluated as True:"));
  EXPECT_THAT(session.Run({{p, true}, {q, true}}, exclusive).status().ToString(),
              HasSubstr("more than 1 conditions (p:0, q:0) evaluated as True:"));
  EXPECT_TRUE(session.Run({{p, true}, {q, false}}, exclusive).ok());
  Case(s, {});
  EXPECT_THAT(g.status().ToString(), HasSubstr("Case needs at least one branch"));
}

TEST_F(ControlFlowTest, LoopRunsWhileItsConditionHolds) {
  Output x = s.Placeholder("x", kFloat, {});
  Output n = s.Placeholder("n", kInt32, {});
  Output y = Power(x, n);
  EXPECT_EQ(y.name(), "while/Exit_1:0");
  EXPECT_THAT(InputNames(g, "while/Less"), ElementsAre("while/Merge:0", "while/Less/Enter:0"));
  EXPECT_THAT(Run(g, {y}, {{x, 3.0f}, {n, 4}}), ElementsAre(ElementsAre(81)));
  EXPECT_THAT(Run(g, {y}, {{x, 3.0f}, {n, 0}}), ElementsAre(ElementsAre(1)));
}

TEST_F(ControlFlowTest, LoopEndsAfterMaximumIterations) {
  Outputs last = WhileLoop(
      s, [&](const Outputs& v) { return Less(v[0], Input(100.0f)); },
      [&](const Outputs& v) { return Outputs{v[0] * 2}; }, {1.0}, {.maximum_iterations = 3});
  EXPECT_EQ(last.size(), 1u);
  EXPECT_THAT(Run(g, last, {}), ElementsAre(ElementsAre(8)));
}

TEST_F(ControlFlowTest, ShapesOfVariablesAreKept) {
  Output x = s.Placeholder("x", kFloat, {2});
  auto always = [&](const Outputs&) { return Constant(g, true); };
  auto doubled = [&](const Outputs& v) { return Outputs{Concat({v[0], v[0]}, 0)}; };
  EXPECT_TRUE(WhileLoop(s, always, doubled, {x}, {.shape_invariants = {Shape({-1})}})[0].valid());
  EXPECT_FALSE(WhileLoop(s, always, doubled, {x})[0].valid());
  EXPECT_THAT(g.status().ToString(), HasSubstr("but has shape (4,) after one iteration"));
}

TEST_F(ControlFlowTest, ContextsAreRestoredFromFiles) {
  Output x = s.Placeholder("x", kFloat, {});
  Output n = s.Placeholder("n", kInt32, {});
  Power(x, n);
  Output p = s.Placeholder("p", kBool, {});
  Cond(
      s, p, [&] { return Outputs{Power(x, n)}; }, [&] { return Outputs{x}; });
  const std::string bytes = ExportMetaGraph(g).value();
  Graph back;
  ASSERT_TRUE(ImportMetaGraphBytes(back, bytes).ok());
  EXPECT_EQ(ExportMetaGraph(back).value(), bytes);
  Graph scoped;
  ASSERT_TRUE(ImportMetaGraphBytes(scoped, bytes, {.import_scope = "in"}).ok());
  EXPECT_EQ(*scoped.FindOperation("in/while/Enter")->attr<std::string>("frame_name"),
            "in/while/while_context");
  EXPECT_EQ(ExportMetaGraph(scoped, {.export_scope = "in"}).value(), bytes);
}

}  // namespace
}  // namespace ramet
