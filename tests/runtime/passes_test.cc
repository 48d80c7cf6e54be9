// Tests the passes over plans: that each does its work, that results keep their bits, and that it
// leaves alone what it must not touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

class PassesTest : public ::testing::Test {
 protected:
  PassesTest() : s(g) {}

  Session Open(std::vector<std::string> disabled = {}) {
    return Session::Create(g, {.disabled_passes = std::move(disabled)}).value();
  }
  Output Add(std::string_view op, const std::vector<Input>& inputs,
             std::initializer_list<AttrMap::Entry> attrs = {}) {
    return AddOp(g, op, inputs, attrs).output(0);
  }
  Output Fed(std::string_view name, const Shape& shape = Shape::Unknown(), DType dtype = kFloat) {
    return s.Placeholder(name, dtype, shape);
  }
  static PassEffect EffectOf(const PlanReport& report, std::string_view pass) {
    for (const PassEffect& effect : report.passes) {
      if (effect.name == pass) return effect;
    }
    ADD_FAILURE() << "no pass " << pass;
    return {};
  }
  // Runs with and without passes, compares the bits, and returns what `pass` changed.
  int64_t Changes(std::string_view pass, const Feeds& feeds, const std::vector<Output>& fetches,
                  const std::vector<Operation>& targets = {}) {
    std::vector<GraphElement> fed, asked(fetches.begin(), fetches.end());
    asked.insert(asked.end(), targets.begin(), targets.end());
    for (const Feed& feed : feeds) fed.push_back(feed.tensor);
    Session with = Open({"batch_norm_folding", "epilogues", "packed_weights"}),
            without = Open({"all"});
    with.InitializeMissing().value();
    without.InitializeMissing().value();
    for (int run = 0; run < 3; ++run) {
      const auto found = with.Run(feeds, asked).value();
      const auto expected = without.Run(feeds, asked).value();
      for (size_t i = 0; i < fetches.size(); ++i) {
        EXPECT_TRUE(found[i].BitwiseEquals(expected[i])) << pass << ", fetch " << i;
      }
    }
    report = ExplainRun(with, fed, asked).value();
    EXPECT_EQ(ExplainRun(without, fed, asked)->steps, report.steps_compiled);
    return EffectOf(report, pass).changes;
  }

  Graph g;
  Scope s;
  PlanReport report;
};

Tensor Special() { return Tensor::Vector({0.0f, -0.0f, kInf, -kInf, kNan, kDenormal, -1.5f}); }

TEST_F(PassesTest, ConstantsAreFolded) {
  const Output a = Constant(g, Tensor::Vector({1.0f, 2.0f})), b = Constant(g, Tensor(3.0f));
  const Output x = Fed("x");
  const Output scale = Add("Exp", {Add("Mul", {a, b})});
  EXPECT_EQ(Changes("constant_folding", {{x, Tensor(2.0f)}}, {Add("Mul", {x, scale})}), 2);
  EXPECT_EQ(report.steps, 1);
}

TEST_F(PassesTest, ConstantsThatAreFetchedOrAssignedStayAsTheyAre) {
  const Output folded = Add("Neg", {Constant(g, Tensor::Vector({1.0f, -0.0f}))});
  const Variable v = s.NewVariable(Tensor::Vector({5.0f, 6.0f}), "v");
  const Operation assign = AddOp(g, "Assign", {v.ref(), folded});
  const Output one = Constant(g, Tensor::Vector({1.0f, 1.0f}));
  Scope after = s.ControlDependencies({assign});
  const Operation add = AddOp(g, "AssignAdd", {v.ref(), one});
  EXPECT_EQ(Changes("constant_folding", {}, {folded}, {assign, add}), 1);
}

TEST_F(PassesTest, AFedTensorCutsFolding) {
  const Output a = Constant(g, Tensor(2.0f));
  const Output twice = Add("Mul", {a, a}), y = Add("Exp", {twice});
  EXPECT_EQ(Changes("constant_folding", {}, {y}), 2);
  EXPECT_EQ(Changes("constant_folding", {{twice, Tensor(1.0f)}}, {y}), 0);
  EXPECT_EQ(Changes("constant_folding", {{a, Tensor(1.0f)}}, {y}), 0);
}

TEST_F(PassesTest, FoldingFlushesDenormalsAsRunsDo) {
  const Output x = Constant(g, Special());
  EXPECT_EQ(Changes("constant_folding", {}, {Add("Mul", {x, Constant(g, Tensor(1.0f))})}), 1);
}

TEST_F(PassesTest, RandomNumbersAndStateAreNotFolded) {
  const Output shape = Constant(g, Tensor::Vector({2, 2}));
  const Output noise = Add("RandomUniform", {shape}, {{"dtype", kFloat}, {"seed", 1}});
  Session session = Open();
  const Tensor first = session.Run(noise).value();
  EXPECT_FALSE(session.Run(noise)->BitwiseEquals(first));
  EXPECT_EQ(EffectOf(ExplainRun(session, {}, noise).value(), "constant_folding").changes, 0);
}

TEST_F(PassesTest, LargeResultsAreComputedInEachRun) {
  const Output dims = Constant(g, Tensor::Vector({2048, 2048}));
  EXPECT_EQ(Changes("constant_folding", {}, {Add("Fill", {dims, Constant(g, Tensor(1.0f))})}), 0);
  EXPECT_EQ(
      Changes("constant_folding", {},
              {Add("Fill", {Constant(g, Tensor::Vector({3, 3})), Constant(g, Tensor(1.0f))})}),
      1);
}

TEST_F(PassesTest, ErrorsOfConstantsAppearWhenTheyRun) {
  const Output bad = Add("GatherV2", {Constant(g, Tensor::Vector({1.0f, 2.0f})),
                                      Constant(g, Tensor::Vector({7})), Constant(g, Tensor(0))});
  const Output x = Fed("x"), y = Add("Mul", {x, bad});
  Session with = Open(), without = Open({"all"});
  const auto found = with.Run({{x, Tensor(1.0f)}}, y),
             expected = without.Run({{x, Tensor(1.0f)}}, y);
  EXPECT_EQ(found.status().ToString(), expected.status().ToString());
  EXPECT_THAT(found.status().message(), HasSubstr("GatherV2"));
}

TEST_F(PassesTest, EqualStepsRunOnce) {
  const Output x = Fed("x"), y = Fed("y");
  const auto term = [&] { return Add("Exp", {Add("Sub", {x, Constant(g, Tensor(1.0f))})}); };
  const Output z = Add("Mul", {term(), Add("Mul", {y, term()})});
  EXPECT_EQ(Changes("common_subexpressions", {{x, Special()}, {y, Special()}}, {z}), 2);
}

TEST_F(PassesTest, StepsWithOtherAttrsInputsOrControlInputsStayApart) {
  const Output x = Fed("x", {2, 2}), y = Fed("y", {2, 2});
  const Output a = Add("MatMul", {x, y}), b = Add("MatMul", {x, y}, {{"transpose_a", true}});
  const Output c = Add("MatMul", {y, x});
  Scope later = s.ControlDependencies({c.op()});
  const Output d = MatMul(x, y);
  EXPECT_EQ(Changes("common_subexpressions",
                    {{x, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})},
                     {y, Tensor::Of<float>({2, 2}, {5, 6, 7, 8})}},
                    {a, b, c, d}),
            0);
}

TEST_F(PassesTest, ReadsWithAnAssignmentBetweenThemStayApart) {
  for (const bool resource : {false, true}) {
    const std::string name = resource ? "resource" : "reference";
    const Variable v =
        s.NewVariable(Tensor::Vector({1.0f, 2.0f}), name, {.use_resource = resource});
    const Output one = Constant(g, Tensor::Vector({1.0f, 1.0f}));
    const Output before = Add("Exp", {v.value()});
    Operation update;
    {
      Scope after = s.ControlDependencies({before.op()});
      update = AddOp(g, resource ? "AssignAddVariableOp" : "AssignAdd", {v.ref(), one});
    }
    Scope last = s.ControlDependencies({update});
    const Output read = resource ? Add("ReadVariableOp", {v.ref()}, {{"dtype", kFloat}})
                                 : Add("Identity", {v.ref()});
    const Output after = Add("Exp", {read});
    EXPECT_EQ(Changes("common_subexpressions", {}, {before, after}), 0) << name;
  }
}

TEST_F(PassesTest, RandomStepsStayApart) {
  const Output shape = Constant(g, Tensor::Vector({4}));
  const auto noise = [&] {
    return Add("RandomUniform", {shape}, {{"dtype", kFloat}, {"seed", 1}, {"seed2", 2}});
  };
  EXPECT_EQ(Changes("common_subexpressions", {}, {Add("Sub", {noise(), noise()})}), 0);
}

TEST_F(PassesTest, StepsThatReturnAnInputAreBypassed) {
  const Output x = Fed("x");
  const Output none = Constant(g, Tensor(kInt32, {0}));
  const std::vector<Output> same = {
      Add("Identity", {x}),          Add("StopGradient", {x}), Add("Cast", {x}, {{"DstT", kFloat}}),
      Add("Neg", {Add("Neg", {x})}), Add("Sum", {x, none}),    Add("Max", {x, none}),
  };
  std::vector<Output> fetches;
  for (const Output& y : same) fetches.push_back(Add("Exp", {y}));
  fetches.push_back(same[0]);
  fetches.push_back(same[3]);
  EXPECT_EQ(Changes("arithmetic", {{x, Special()}}, fetches), 6);
}

TEST_F(PassesTest, NeutralIntegersAreBypassed) {
  const Output n = Fed("n", Shape::Unknown(), kInt32);
  const Output zero = Constant(g, Tensor(0)), one = Constant(g, Tensor(1));
  EXPECT_EQ(Changes("arithmetic", {{n, Tensor::Vector({3, -2147483647 - 1})}},
                    {Add("Square", {Add("AddV2", {n, zero})}),
                     Add("Square", {Add("Mul", {one, n})}), Add("Abs", {Add("Sub", {n, zero})}),
                     Add("Abs", {Add("FloorDiv", {n, one})}), Add("Sub", {zero, n})}),
            4);
}

// -0 + 0 is 0, and a run flushes denormals.
TEST_F(PassesTest, SumsAndProductsOfFloatsAreComputed) {
  const Output x = Fed("x");
  const Output zero = Constant(g, Tensor(0.0f)), one = Constant(g, Tensor(1.0f));
  EXPECT_EQ(Changes("arithmetic", {{x, Special()}},
                    {Add("AddV2", {x, zero}), Add("Mul", {x, one}), Add("Sub", {x, zero}),
                     Add("Mul", {x, zero}), Add("Sub", {x, x})}),
            0);
}

TEST_F(PassesTest, TransposesCancelOrCombine) {
  const Output x = Fed("x", {2, 3, -1});
  const auto perm = [&](std::initializer_list<int> p) { return Constant(g, Tensor::Vector(p)); };
  const Output back = Add("Transpose", {Add("Transpose", {x, perm({2, 0, 1})}), perm({1, 2, 0})});
  const Output both = Add("Transpose", {Add("Transpose", {x, perm({2, 0, 1})}), perm({0, 2, 1})});
  Tensor value(kFloat, {2, 3, 4});
  for (int i = 0; i < 24; ++i) value.mutable_data<float>()[i] = static_cast<float>(i);
  EXPECT_EQ(Changes("arithmetic", {{x, value}}, {Add("Exp", {back}), both}), 2);
  EXPECT_EQ(report.steps, 2);
}

TEST_F(PassesTest, ReshapesCombineIfTheFirstCannotFailAlone) {
  const Output x = Fed("x");
  const auto shape = [&](std::initializer_list<int> dims) {
    return Constant(g, Tensor::Vector(dims));
  };
  const auto twice = [&](std::initializer_list<int> a, std::initializer_list<int> b) {
    return Add("Reshape", {Add("Reshape", {x, shape(a)}), shape(b)});
  };
  Tensor value(kFloat, {24});
  for (int i = 0; i < 24; ++i) value.mutable_data<float>()[i] = static_cast<float>(i);
  EXPECT_EQ(Changes("arithmetic", {{x, value}}, {twice({4, -1}, {8, 3}), twice({4, 6}, {6, 4})}),
            2);
  EXPECT_EQ(Changes("arithmetic", {{x, value}}, {twice({4, 6}, {-1, 3})}), 0);
}

TEST_F(PassesTest, ShapesDoNotNeedTheValue) {
  const Output x = Fed("x");
  const Output read = Add("Relu", {x});
  EXPECT_EQ(Changes("arithmetic", {{x, Special()}}, {Add("Shape", {read}), read}), 0);
  EXPECT_EQ(
      Changes("arithmetic", {{x, Special()}}, {Add("Shape", {Add("Exp", {Add("Relu", {x})})})}), 1);
}

TEST_F(PassesTest, ABypassedStepThatIsATargetMayStillFail) {
  const Output x = Fed("x");
  const Output checked = Add("CheckNumerics", {x}, {{"message", "checked"}});
  Session session = Open();
  EXPECT_THAT(session.Run({{x, Tensor(kNan)}}, {checked.op()}).status().message(),
              HasSubstr("checked"));
}

TEST_F(PassesTest, LoopsAndBranchesKeepTheirResults) {
  const Output x = Fed("x", {}), n = Fed("n", {}, kInt32);
  const auto step = [&](const Outputs& v) {
    const Output scale = Add("Exp", {Constant(g, Tensor(0.25f))});
    const Output kept = Add("Identity", {v[1]});
    const Output a = Add("Mul", {kept, scale}), b = Add("Mul", {kept, scale});
    const Output sum = Add("AddV2", {Add("Sin", {a}), Add("Cos", {b})});
    const Output chosen = Cond(
        s, Add("Less", {sum, Constant(g, Tensor(0.5f))}),
        [&] { return Outputs{Add("Neg", {Add("Neg", {Add("Identity", {sum})})})}; },
        [&] {
          return Outputs{Add("AddV2", {Add("Square", {sum}), Add("Square", {sum})})};
        })[0];
    return Outputs{Add("AddV2", {v[0], Constant(g, Tensor(1))}), chosen, Add("Identity", {v[2]})};
  };
  const Outputs results = WhileLoop(s,
                                    [&](const Outputs& v) {
                                      return Add("Less", {v[0], n});
                                    },
                                    step, {Constant(g, Tensor(0)), x, Add("Identity", {x})});
  for (const int count : {0, 1, 7}) {
    const Feeds feeds = {{x, Tensor(0.3f)}, {n, Tensor(count)}};
    EXPECT_GT(Changes("common_subexpressions", feeds, results), 0);
    EXPECT_GT(EffectOf(report, "arithmetic").changes, 0);
  }
}

TEST_F(PassesTest, TracedRunsShowEveryNode) {
  const Output x = Fed("x"), y = Add("Exp", {Add("Identity", {x})});
  Session session = Open();
  RunMetadata metadata;
  session.Run({{x, Tensor(1.0f)}}, {y}, {.trace = true}, &metadata).value();
  EXPECT_EQ(metadata.steps.size(), 2);
}

TEST_F(PassesTest, AnExtendedGraphIsOptimizedAgain) {
  const Output x = Fed("x"), y = Add("Exp", {Add("Identity", {x})});
  Session session = Open();
  EXPECT_TRUE(session.Run({{x, Tensor(0.0f)}}, y)->BitwiseEquals(Tensor(1.0f)));
  const Output z = Add("Exp", {Add("Identity", {y})});
  EXPECT_EQ(EffectOf(ExplainRun(session, {x}, z).value(), "arithmetic").changes, 2);
  EXPECT_EQ(session.Run({{x, Tensor(0.0f)}}, z)->scalar<float>(), std::exp(1.0f));
}

// A fetch that is a feed's value must not share memory that the caller may change.
TEST_F(PassesTest, AFetchedFeedIsTheFeed) {
  const Output x = Fed("x"), same = Add("Identity", {x});
  EXPECT_EQ(Changes("arithmetic", {{x, Special()}}, {same, same, Add("Exp", {same})}), 1);
}

TEST_F(PassesTest, DeterministicSessionsUseExactPassesOnly) {
  const Output x = Fed("x", {2, 2});
  const Output y = Relu(MatMul(Add("Identity", {x}), x) + x);
  Session session = Session::Create(g, {.deterministic = true}).value();
  const PlanReport found = ExplainRun(session, {x}, y).value();
  EXPECT_EQ(EffectOf(found, "arithmetic").changes, 1);
  EXPECT_FALSE(EffectOf(found, "batch_norm_folding").used);
  EXPECT_FALSE(EffectOf(found, "epilogues").used);
  EXPECT_FALSE(EffectOf(found, "elementwise").used);
}

class PassChoiceTest : public PassesTest {
 protected:
  void TearDown() override { unsetenv("RAMET_PASSES"); }
  // Returns the names of the passes that a session uses with this RAMET_PASSES.
  std::vector<std::string> Used(const char* text, std::vector<std::string> disabled = {}) {
    setenv("RAMET_PASSES", text, 1);
    if (!y_.valid()) y_ = Add("Exp", {Add("Exp", {Constant(g, Tensor(1.0f))})});
    std::vector<std::string> used;
    const PlanReport found = ExplainRun(Open(std::move(disabled)), {}, y_).value();
    for (const PassEffect& e : found.passes) {
      if (e.used) used.push_back(e.name);
    }
    return used;
  }
  Output y_;
};

TEST_F(PassChoiceTest, TheEnvironmentChoosesPasses) {
  const std::vector<std::string> all = Used("all");
  EXPECT_EQ(all.size(), 7);  // all but the one for devices
  EXPECT_EQ(Used(""), all);
  EXPECT_TRUE(Used("none").empty());
  EXPECT_THAT(Used("arithmetic,constant_folding"),
              ::testing::ElementsAre("constant_folding", "arithmetic"));
  EXPECT_THAT(Used("-arithmetic,-epilogues"),
              ::testing::ElementsAre("constant_folding", "common_subexpressions",
                                     "batch_norm_folding", "packed_weights", "elementwise"));
  EXPECT_THAT(Used("constant_folding,arithmetic", {"arithmetic"}),
              ::testing::ElementsAre("constant_folding"));
  EXPECT_TRUE(Used("all", {"all"}).empty());
}

TEST_F(PassChoiceTest, UnknownNamesAreErrors) {
  setenv("RAMET_PASSES", "fold", 1);
  EXPECT_THAT(Session::Create(g).status().message(),
              HasSubstr("RAMET_PASSES names the pass 'fold', which does not exist; the passes are "
                        "constant_folding, arithmetic"));
  unsetenv("RAMET_PASSES");
  EXPECT_THAT(Session::Create(g, {.disabled_passes = {"x"}}).status().message(),
              HasSubstr("disabled_passes names the pass 'x'"));
}

}  // namespace
}  // namespace ramet
