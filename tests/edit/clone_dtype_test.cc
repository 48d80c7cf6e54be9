// Tests clones in a different dtype: which nodes change, where casts are, and that the clones run
// and train.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <cmath>

#include "floats.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;
using Dtypes = CloneDtype::Map;

float Rounded(float f) { return static_cast<float>(BFloat16(f)); }

float AsFloat(const Tensor& t) {
  switch (t.dtype()) {
    case kBFloat16: return static_cast<float>(t.scalar<BFloat16>());
    case kHalf: return static_cast<float>(t.scalar<Half>());
    case kDouble: return static_cast<float>(t.scalar<double>());
    default: return t.scalar<float>();
  }
}

class CloneDtypeTest : public ::testing::TestWithParam<bool> {
 protected:
  Variable NewVariable(const std::string& name, double value) {
    return s.GetVariable(name, {},
                         {.initializer = ConstantInit(value), .use_resource = GetParam()});
  }
  Tensor Run(const Operation& init, const Feeds& feeds, const Output& fetch) {
    EXPECT_TRUE(g.status().ok()) << g.status().ToString();
    Session session = Session::Create(g).value();
    auto ready = session.Run(init);
    EXPECT_TRUE(ready.ok()) << ready.status().ToString();
    auto run = session.Run(feeds, fetch);
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    return run.ok() ? *run : Tensor(0.0f);
  }
  static float ValueOf(Session& session, const Variable& v) {
    auto value = session.Value(v);
    EXPECT_TRUE(value.ok() && !value->empty());
    return value.ok() && !value->empty() ? AsFloat(*value) : 0;
  }

  Graph g;
  Scope s{g};
};

TEST_P(CloneDtypeTest, TheInsideChangesAndTheEdgesStay) {
  Output x = s.Placeholder("x", kFloat, {});
  Variable w = NewVariable("w", 1.01);
  Output h = x * w;
  Output y = h + 0.1f;
  for (DType dtype : {kBFloat16, kHalf, kDouble}) {
    SCOPED_TRACE(DTypeName(dtype));
    Cloned c = Clone(g, {.inputs = {x}, .outputs = {y}, .dtype = dtype}).value();
    EXPECT_EQ(c.Transformed(x).dtype(), kFloat);
    EXPECT_EQ(c.Transformed(y).dtype(), kFloat);
    EXPECT_EQ(c.Transformed(y).op().type(), "Cast");
    EXPECT_EQ(c.Transformed(y.op()).output(0).dtype(), dtype);
    EXPECT_EQ(c.Transformed(h).dtype(), dtype);
    EXPECT_EQ(c.Transformed(w).dtype(), dtype);
    EXPECT_EQ(c.Transformed(w).record().initial_value.dtype(), dtype);
    EXPECT_NEAR(AsFloat(Run(c.init_op(), {{c.Transformed(x), 3.0f}}, c.Transformed(y))), 3.13f,
                0.03f);
  }
}

TEST_P(CloneDtypeTest, FirstValuesAreTheOriginalsRounded) {
  Variable w = NewVariable("w", 1.01);
  Variable r = s.GetVariable("r", {4}, {.initializer = RandomUniform(0.0, 1, 7)});
  Cloned c = Clone(g, {.dtype = kBFloat16}).value();
  Operation init = s.GlobalVariablesInitializer();
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(init).ok());
  EXPECT_EQ(ValueOf(session, c.Transformed(w)), Rounded(1.01f));
  const Tensor a = session.Value(r).value(), b = session.Value(c.Transformed(r)).value();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(static_cast<float>(b.data<BFloat16>()[i]), Rounded(a.data<float>()[i])) << i;
  }
}

TEST_P(CloneDtypeTest, FirstValuesMayReadOtherVariables) {
  Variable w = NewVariable("w", 1.01);
  const Output first = GetParam() ? w.value() : InitializedValue(w);
  Variable v = s.NewVariable(first, "v", {.use_resource = GetParam()});
  for (DType dtype : {kBFloat16, kHalf, kDouble}) {
    SCOPED_TRACE(DTypeName(dtype));
    auto c = Clone(g, {.dtype = dtype});
    ASSERT_TRUE(c.ok()) << c.status().ToString();
    Session session = Session::Create(g).value();
    ASSERT_TRUE(session.Run(c->Transformed(w).initializer()).ok());
    auto init = session.Run(c->Transformed(v).initializer());
    ASSERT_TRUE(init.ok()) << init.status().ToString();
    EXPECT_EQ(c->Transformed(v).dtype(), dtype);
    EXPECT_EQ(ValueOf(session, c->Transformed(v)), ValueOf(session, c->Transformed(w)));
  }
}

TEST_P(CloneDtypeTest, AveragesOfBatchNormsAreReadInFloat) {
  Output x = s.Placeholder("x", kFloat, {1, 1, 1, 1});
  std::vector<Input> inputs = {x};
  for (const char* name : {"scale", "offset", "mean", "variance"}) {
    inputs.push_back(
        s.GetVariable(name, {1}, {.initializer = ConstantInit(2.0), .use_resource = GetParam()}));
  }
  Output y =
      AddOp(g, "FusedBatchNormV3", inputs, {{"is_training", false}, {"epsilon", 0.0f}}).output(0);
  for (DType dtype : {kBFloat16, kHalf}) {
    SCOPED_TRACE(DTypeName(dtype));
    Cloned c = Clone(g, {.outputs = {y}, .dtype = dtype}).value();
    EXPECT_EQ(c.Transformed(y.op()).output(0).dtype(), dtype);
    const Tensor five = Tensor::Of<float>({1, 1, 1, 1}, {5});
    EXPECT_NEAR(Run(c.init_op(), {{c.Transformed(x), five}}, c.Transformed(y)).data<float>()[0],
                6.2426f, 0.03f);
  }
}

TEST_P(CloneDtypeTest, CurrentValuesUpdatesAndAveragesAreCast) {
  Variable w = NewVariable("w", 1.01);
  Cloned c = Clone(g, {.initial = kCurrent, .dtype = kBFloat16}).value();
  Operation update = c.UpdateOp().value(), polyak = c.PolyakOp(0.25).value();
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Assign(w, Tensor(3.03f)).ok());
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  EXPECT_EQ(ValueOf(session, c.Transformed(w)), Rounded(3.03f));
  ASSERT_TRUE(session.Assign(w, Tensor(7.07f)).ok());
  ASSERT_TRUE(session.Run(polyak).ok());
  EXPECT_EQ(ValueOf(session, c.Transformed(w)), Rounded(0.25f * 7.07f + 0.75f * Rounded(3.03f)));
  ASSERT_TRUE(session.Run(update).ok());
  EXPECT_EQ(ValueOf(session, c.Transformed(w)), Rounded(7.07f));
}

TEST_P(CloneDtypeTest, CurrentValuesGoToAnotherGraph) {
  Variable w = NewVariable("w", 1.01);
  Graph other;
  Session here = Session::Create(g).value();
  ASSERT_TRUE(here.Assign(w, Tensor(3.03f)).ok());
  Cloned c =
      Clone(g, {.into = &other, .initial = kCurrent, .session = here, .dtype = kHalf}).value();
  Session there = Session::Create(other).value();
  ASSERT_TRUE(there.Run(c.init_op()).ok());
  EXPECT_EQ(ValueOf(there, c.Transformed(w)), static_cast<float>(Half(3.03f)));
  ASSERT_TRUE(here.Assign(w, Tensor(0.7f)).ok());
  Status updated = c.Update(here, there);
  ASSERT_TRUE(updated.ok()) << updated.ToString();
  EXPECT_EQ(ValueOf(there, c.Transformed(w)), static_cast<float>(Half(0.7f)));
}

TEST_P(CloneDtypeTest, CheckpointsOfTheOriginalAreCast) {
  const ScratchDir folder;
  Variable w = NewVariable("w", 1.01);
  Saver saver(g);
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Assign(w, Tensor(3.03f)).ok());
  const std::string prefix = saver.Save(session, folder / "model").value();
  Cloned c = Clone(g, {.initial = prefix, .dtype = kBFloat16}).value();
  Session next = Session::Create(g).value();
  auto init = next.Run(c.init_op());
  ASSERT_TRUE(init.ok()) << init.status().ToString();
  EXPECT_EQ(ValueOf(next, c.Transformed(w)), Rounded(3.03f));
  ASSERT_EQ(c.SaverMap().size(), 1u);
  EXPECT_EQ(c.SaverMap()[0].dtype, kFloat);
  SaverOptions map;
  for (const ClonedCheckpointEntry& e : c.SaverMap()) {
    map.var_map.emplace_back(e.name, SavedVariable(e.variables[0]).StoredAs(e.dtype));
  }
  Saver of_clone(g, map);
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Session mapped = Session::Create(g).value();
  Status restored = of_clone.Restore(mapped, prefix);
  ASSERT_TRUE(restored.ok()) << restored.ToString();
  EXPECT_EQ(ValueOf(mapped, c.Transformed(w)), Rounded(3.03f));
  const std::string mapped_again = of_clone.Save(mapped, folder / "mapped").value();
  ASSERT_TRUE(saver.Restore(mapped, mapped_again).ok()) << "the original can read it";
  EXPECT_EQ(ValueOf(mapped, w), Rounded(3.03f));

  // The copied save and restore nodes write and read floats like the original's.
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  const std::string again = folder / "again";
  auto save = session.Run({{"copy/save/Const:0", Tensor(again)}}, "copy/save/control_dependency:0");
  ASSERT_TRUE(save.ok()) << save.status().ToString();
  Session last = Session::Create(g).value();
  auto restore = last.Run({{"copy/save/Const:0", Tensor(again)}}, "copy/save/restore_all");
  ASSERT_TRUE(restore.ok()) << restore.status().ToString();
  EXPECT_EQ(ValueOf(last, c.Transformed(w)), Rounded(3.03f));
}

TEST_P(CloneDtypeTest, RulesAreMapsOrFunctionsOfOperations) {
  Output x = s.Placeholder("x", kFloat, {2, 2});
  Output d = s.Placeholder("d", kDouble, {});
  Output a = AddOp(g, "MatMul", {x, x}, {}, "a").output(0);
  Output b = AddOp(g, "Relu", {a}, {}, "b").output(0);
  Output e = AddOp(g, "Square", {d}, {}, "e").output(0);
  Cloned map = Clone(g, {.dtype = Dtypes{{kDouble, kFloat}}}).value();
  EXPECT_EQ(map.Transformed(e).dtype(), kFloat);
  EXPECT_EQ(map.Transformed(b).dtype(), kFloat);
  Cloned asked =
      Clone(g, {.dst_scope = "asked",
                .dtype =
                    [](const Operation& op) {
                      return op.type() == "MatMul" ? Dtypes{{kFloat, kBFloat16}} : Dtypes();
                    }})
          .value();
  EXPECT_EQ(asked.Transformed(a).dtype(), kBFloat16);
  EXPECT_EQ(asked.Transformed(b).dtype(), kFloat);
  EXPECT_EQ(asked.Transformed(b).op().input(0).op().type(), "Cast");
  EXPECT_EQ(asked.Transformed(a).op().input(0), asked.Transformed(a).op().input(1))
      << "there is one cast per tensor";
  Session session = Session::Create(g).value();
  const Tensor in = Tensor::Of<float>({2, 2}, {1, 2, 3, -4});
  auto run = session.Run({{asked.Transformed(x), in}}, asked.Transformed(b));
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(Floats(*run), (std::vector<float>{7, 0, 0, 22}));
}

TEST_P(CloneDtypeTest, ReplacementsMayHaveTheNewDtype) {
  Output x = s.Placeholder("x", kFloat, {});
  Output y = Square(x);
  Output z = s.Placeholder("z", kBFloat16, {});
  Cloned c = Clone(g, {.outputs = {y}, .input_map = {{x, z}}, .dtype = kBFloat16}).value();
  EXPECT_EQ(c.Transformed(y.op()).input(0), z);
  EXPECT_FALSE(Clone(g, {.outputs = {y}, .input_map = {{x, z}}}).ok());
}

TEST_P(CloneDtypeTest, LoopsAndBranchesRunAndHaveGradients) {
  Output x = s.Placeholder("x", kFloat, {});
  Variable w = NewVariable("w", 0.5);
  Output looped = WhileLoop(
      s, [&](const Outputs& v) { return Less(v[0], 3); },
      [&](const Outputs& v) {
        return Outputs{v[0] + 1, v[1] * w};
      },
      {0, x})[1];
  Output y = Cond(
      s, Less(x, 100.0f), [&] { return Outputs{looped + 1.0f}; },
      [&] { return Outputs{looped}; })[0];
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  auto c = Clone(g, {.inputs = {x}, .outputs = {y}, .dtype = kBFloat16});
  ASSERT_TRUE(c.ok()) << c.status().ToString();
  EXPECT_EQ(c->Transformed(looped).dtype(), kBFloat16);
  const Output gradient = Gradients({c->Transformed(y)}, {c->Transformed(w)}).value()[0].values;
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  EXPECT_EQ(AsFloat(Run(c->init_op(), {{c->Transformed(x), 8.0f}}, c->Transformed(y))), 2.0f);
  EXPECT_EQ(AsFloat(Run(c->init_op(), {{c->Transformed(x), 8.0f}}, gradient)), 6.0f);
}

TEST_P(CloneDtypeTest, WholeTrainingGraphsTrain) {
  for (bool momentum : {false, true}) {
    Graph graph;
    Scope scope(graph);
    Output x = scope.Placeholder("x", kFloat, {});
    Variable w =
        scope.GetVariable("w", {}, {.initializer = ConstantInit(1.0), .use_resource = GetParam()});
    Output loss = Square(x * w - 5.0f);
    Operation train =
        momentum ? Momentum(0.25, 0.9).Minimize(loss) : GradientDescent(0.25).Minimize(loss);
    ASSERT_TRUE(graph.status().ok()) << graph.status().ToString();
    for (DType dtype : {kBFloat16, kHalf, kDouble}) {
      SCOPED_TRACE(StrCat(momentum, " ", DTypeName(dtype)));
      Graph other;
      auto c = Clone(graph, {.into = &other, .dtype = dtype});
      ASSERT_TRUE(c.ok()) << c.status().ToString();
      Session session = Session::Create(other).value();
      ASSERT_TRUE(session.Run(c->init_op()).ok());
      auto run = session.Run({{c->Transformed(x), 1.0f}}, c->Transformed(train));
      ASSERT_TRUE(run.ok()) << run.status().ToString();
      EXPECT_EQ(c->variables().size(), momentum ? 2u : 1u);
      EXPECT_EQ(ValueOf(session, c->Transformed(w)), 3.0f);
    }
  }
}

TEST_P(CloneDtypeTest, SharedVariablesKeepTheirDtype) {
  Variable w = NewVariable("w", 2.0);
  Output y = w * 3.0f;
  Cloned c =
      Clone(g, {.outputs = {y}, .variables = CloneState::kShared, .dtype = kBFloat16}).value();
  EXPECT_TRUE(c.variables().empty());
  EXPECT_EQ(c.Transformed(y.op()).output(0).dtype(), kBFloat16);
  EXPECT_EQ(AsFloat(Run(w.initializer(), {}, c.Transformed(y))), 6.0f);
}

TEST_P(CloneDtypeTest, OperationsOnAnOutsideVariableKeepItsDtype) {
  Variable w = NewVariable("w", 2.0), other = NewVariable("other", 4.0);
  Output y = w * 3.0f;
  Cloned c =
      Clone(g, {.outputs = {y}, .input_map = {{w.ref(), other.ref()}}, .dtype = kHalf}).value();
  EXPECT_EQ(AsFloat(Run(other.initializer(), {}, c.Transformed(y))), 12.0f);
  Graph again;
  EXPECT_TRUE(ImportGraphDef(again, ExportGraphDef(g).value()).ok());
}

// Tout of these ops must correspond to T, and complex dtypes do not change.
TEST_P(CloneDtypeTest, PartsOfComplexNumbersKeepTheirDtype) {
  Output x = s.Placeholder("x", kFloat, {});
  Output complex = AddOp(g, "Complex", {x * x, x}, {{"Tout", kComplex64}}).output(0);
  Output size = AddOp(g, "ComplexAbs", {complex}, {{"Tout", kFloat}}).output(0);
  Output y = size + AddOp(g, "Imag", {complex}, {{"Tout", kFloat}}).output(0);
  Graph other;
  Cloned c = Clone(g, {.into = &other, .dtype = kDouble}).value();
  EXPECT_EQ(c.Transformed(complex).dtype(), kComplex64);
  EXPECT_EQ(c.Transformed(size.op()).output(0).dtype(), kFloat);
  Graph again;
  EXPECT_TRUE(ImportGraphDef(again, ExportGraphDef(other).value()).ok());
  Session session = Session::Create(other).value();
  auto values = session.Run({{c.Transformed(x), 2.0f}}, c.Transformed(y));
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_NEAR(AsFloat(*values), std::sqrt(20.0f) + 2, 1e-4f);
}

TEST_P(CloneDtypeTest, OnlyFloatingDtypesChange) {
  Square(s.Placeholder("x", kFloat, {}));
  EXPECT_THAT(Clone(g, {.dtype = kInt32}).status().message(), HasSubstr("clone: dtype: "));
  EXPECT_THAT(Clone(g, {.dtype = Dtypes{{kInt32, kFloat}}}).status().message(),
              HasSubstr("int32 to float"));
  EXPECT_THAT(Clone(g, {.dtype =
                            [](const Operation&) {
                              return Dtypes{{kFloat, kString}};
                            }})
                  .status()
                  .message(),
              HasSubstr("clone: dtype: "));
}

INSTANTIATE_TEST_SUITE_P(Variables, CloneDtypeTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "resource" : "reference"; });

}  // namespace
}  // namespace ramet
