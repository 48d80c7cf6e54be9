// Tests clones of whole graphs under a scope: state, loops, branches, functions, tables,
// collections.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include "floats.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Names(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& v : variables) names.push_back(v.op_name());
  return names;
}

class CloneTest : public ::testing::Test {
 protected:
  Session NewSession() {
    EXPECT_TRUE(g.status().ok()) << g.status().ToString();
    return Session::Create(g).value();
  }
  static float Value(Session& session, const Variable& v) {
    return session.Value(v).value().scalar<float>();
  }

  Graph g;
  Scope s{g};
};

TEST_F(CloneTest, OwnVariablesAreRegisteredAndInitialized) {
  Variable w = s.GetVariable("w", {}, ConstantInit(3.0));
  Output y = w * 2.0f;
  auto c = Clone(g);
  ASSERT_TRUE(c.ok()) << c.status().ToString();
  EXPECT_EQ(c->scope(), "copy");
  ASSERT_EQ(c->variables().size(), 1u);
  Variable copy = c->Transformed(w);
  EXPECT_EQ(copy.name(), "copy/w:0");
  EXPECT_EQ(copy.initializer().name(), "copy/w/Assign");
  EXPECT_EQ(copy.value().name(), "copy/w/read:0");
  EXPECT_THAT(Names(g.collections().Get<Variable>(graph_keys::kGlobalVariables)),
              ElementsAre("w", "copy/w"));
  EXPECT_THAT(Names(g.collections().Get<Variable>(graph_keys::kTrainableVariables)),
              ElementsAre("w", "copy/w"));
  auto groups = copy.value().op().attr<std::vector<std::string>>("_class").value();
  EXPECT_THAT(groups, ElementsAre("loc:@copy/w"));

  Session session = NewSession();
  ASSERT_TRUE(session.Run(c->init_op()).ok());
  EXPECT_EQ(Value(session, copy), 3.0f);
  EXPECT_TRUE(session.Value(w).value().empty()) << "init_op initialized the original";
  EXPECT_EQ(session.Run(c->Transformed(y)).value().scalar<float>(), 6.0f);
}

TEST_F(CloneTest, TrainingChangesOnlyOneOfThem) {
  for (bool resource : {false, true}) {
    Graph graph;
    Scope scope(graph);
    Variable w =
        scope.GetVariable("w", {}, {.initializer = ConstantInit(1.0), .use_resource = resource});
    Output loss = Square(w - 5.0f);
    Cloned c = Clone(graph).value();
    Operation train = GradientDescent(0.1).Minimize(loss);
    Operation train_copy = GradientDescent(0.1).Minimize(
        c.Transformed(loss), {.var_list = std::vector<Variable>{c.variables()[0].copy}});
    ASSERT_TRUE(graph.status().ok()) << graph.status().ToString();
    Operation init = scope.GlobalVariablesInitializer();
    Session session = Session::Create(graph).value();
    ASSERT_TRUE(session.Run(init).ok());
    ASSERT_TRUE(session.Run(train).ok());
    EXPECT_FLOAT_EQ(Value(session, w), 1.8f);
    EXPECT_FLOAT_EQ(Value(session, c.variables()[0].copy), 1.0f);
    ASSERT_TRUE(session.Run(train_copy).ok());
    ASSERT_TRUE(session.Run(train_copy).ok());
    EXPECT_FLOAT_EQ(Value(session, w), 1.8f);
    EXPECT_FLOAT_EQ(Value(session, c.variables()[0].copy), 2.44f);
    ASSERT_TRUE(session.Run(c.UpdateOp().value()).ok());
    EXPECT_EQ(Value(session, c.variables()[0].copy), Value(session, w));
    EXPECT_EQ(c.UpdateOp().value(), c.UpdateOp().value());
  }
}

TEST_F(CloneTest, PolyakMixesFloatsAndAssignsOthers) {
  for (bool resource : {false, true}) {
    Graph graph;
    Scope scope(graph);
    const VariableOptions options{.use_resource = resource};
    Variable w = scope.NewVariable(1.0f, "w", options);
    Variable step = scope.NewVariable(Tensor(int64_t{7}), "step", options);
    Cloned c = Clone(graph).value();
    Operation polyak = c.PolyakOp(0.25).value();
    Session session = Session::Create(graph).value();
    ASSERT_TRUE(session.Run(scope.GlobalVariablesInitializer()).ok());
    ASSERT_TRUE(session.Assign(c.Transformed(w), Tensor(5.0f)).ok());
    ASSERT_TRUE(session.Assign(c.Transformed(step), Tensor(int64_t{0})).ok());
    ASSERT_TRUE(session.Run(polyak).ok());
    EXPECT_EQ(Value(session, c.Transformed(w)), 4.0f);
    EXPECT_EQ(session.Value(c.Transformed(step)).value().scalar<int64_t>(), 7);
    EXPECT_EQ(Value(session, w), 1.0f);
    EXPECT_THAT(c.PolyakOp(1.5).status().message(), HasSubstr("tau"));
  }
}

// The update is done in one pass over memory, in address, and gives the same bits as the graph's
// separate steps.
TEST_F(CloneTest, PolyakWritesInPlace) {
  for (bool resource : {false, true}) {
    for (DType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      Graph graph;
      Scope scope(graph);
      const VariableOptions options{
          .initializer = RandomUniform(-1.0f, 1.0f, 1), .dtype = dtype, .use_resource = resource};
      Variable w = scope.GetVariable("w", {100, 301}, options);
      Cloned c = Clone(graph).value();
      VariableOptions other = options;
      other.initializer = RandomUniform(-1.0f, 1.0f, 2);
      Variable values = scope.GetVariable("values", {100, 301}, other);
      const Operation polyak = c.PolyakOp(0.005).value();
      const Variable target = c.Transformed(w);
      Session usual = Session::Create(graph).value();
      Session single = Session::Create(graph, {.deterministic = true}).value();
      for (Session* session : {&usual, &single}) {
        ASSERT_TRUE(session->Run(scope.GlobalVariablesInitializer()).ok());
        ASSERT_TRUE(session->Assign(target, usual.Value(target)->DeepCopy().value()).ok());
        ASSERT_TRUE(session->Assign(w, usual.Value(values)->DeepCopy().value()).ok());
      }
      const void* address = usual.Value(target)->raw_data();
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(usual.Run(polyak).ok());
        ASSERT_TRUE(single.Run(polyak).ok());
        EXPECT_TRUE(usual.Value(target)->BitwiseEquals(single.Value(target).value()));
        EXPECT_EQ(usual.Value(target)->raw_data(), address) << DTypeName(dtype) << resource;
      }
    }
  }
}

TEST_F(CloneTest, CurrentValuesAreReadWhenInitRuns) {
  Variable w = s.GetVariable("w", {}, ConstantInit(1.0));
  Variable r = s.GetVariable("r", {}, {.initializer = ConstantInit(2.0), .use_resource = true});
  Cloned c = Clone(g, {.initial = kCurrent}).value();
  Session session = NewSession();
  ASSERT_TRUE(session.Assign(w, Tensor(11.0f)).ok());
  ASSERT_TRUE(session.Assign(r, Tensor(12.0f)).ok());
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  EXPECT_EQ(Value(session, c.Transformed(w)), 11.0f);
  EXPECT_EQ(Value(session, c.Transformed(r)), 12.0f);
}

TEST_F(CloneTest, CheckpointOfTheOriginalIsReadByInitAndBySaverMap) {
  Variable w = s.GetVariable("w", {2}, ConstantInit(1.0));
  Saver saver(g);
  Session session = NewSession();
  ASSERT_TRUE(session.Assign(w, Tensor::Vector<float>({4, 5})).ok());
  const ScratchDir folder;
  const std::string prefix = saver.Save(session, folder.path() + "/model").value();
  Graph other;
  Cloned c = Clone(g, {.into = &other, .initial = prefix}).value();
  Session there = Session::Create(other).value();
  ASSERT_TRUE(there.Run(c.init_op()).ok());
  EXPECT_THAT(Floats(there.Value(c.Transformed(w)).value()), ElementsAre(4, 5));
  ASSERT_TRUE(there.Assign(c.Transformed(w), Tensor::Vector<float>({0, 0})).ok());
  SaverOptions options;
  for (const auto& entry : c.SaverMap())
    options.var_map.emplace_back(entry.name, entry.variables[0]);
  Saver loader(other, options);
  ASSERT_TRUE(loader.Restore(there, prefix).ok());
  EXPECT_THAT(Floats(there.Value(c.Transformed(w)).value()), ElementsAre(4, 5));
}

TEST_F(CloneTest, GetVariableFindsTheClone) {
  Variable w = s.GetVariable("net/w", {}, ConstantInit(1.0));
  Cloned c = Clone(g, {.dst_scope = "copy"}).value();
  Scope again(g, "copy", {.reuse = Reuse::kYes});
  EXPECT_EQ(again.GetVariable("net/w", {}), c.Transformed(w));
}

TEST_F(CloneTest, ScopesAreUniqueAndClonesAreCloned) {
  s.GetVariable("w", {}, ConstantInit(1.0));
  EXPECT_EQ(Clone(g).value().scope(), "copy");
  Cloned second = Clone(g).value();
  EXPECT_EQ(second.scope(), "copy_1");
  EXPECT_TRUE(g.HasOperation("copy_1/copy/w"));
  EXPECT_TRUE(g.HasOperation("copy_1/copy/init"));
  Session session = NewSession();
  ASSERT_TRUE(session.Run(second.init_op()).ok());
  EXPECT_EQ(second.variables().size(), 2u);
  EXPECT_TRUE(session.Value(Variable(&g, 0)).value().empty());
}

TEST_F(CloneTest, LoopsRunSideBySideAndHaveGradients) {
  Variable w = s.GetVariable("w", {}, ConstantInit(2.0));
  Outputs last = WhileLoop(
      s, [&](const Outputs& v) { return Less(v[0], 3); },
      [&](const Outputs& v) {
        return Outputs{v[0] + 1, v[1] * w};
      },
      {0, 1.0});
  Cloned c = Clone(g).value();
  const Output copy = c.Transformed(last[1]);
  EXPECT_EQ(g.collections().Get(graph_keys::kWhileContext).size(), 2u);
  Operation enter = g.FindOperation("copy/while/Enter").value();
  EXPECT_EQ(enter.attr<std::string>("frame_name").value(), "copy/while/while_context");
  auto gradients = Gradients({copy}, {c.Transformed(w)});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  Session session = NewSession();
  ASSERT_TRUE(session.Run(s.GlobalVariablesInitializer()).ok());
  ASSERT_TRUE(session.Assign(w, Tensor(3.0f)).ok());
  auto both = session.Run({last[1], copy, (*gradients)[0].values});
  ASSERT_TRUE(both.ok()) << both.status().ToString();
  EXPECT_EQ((*both)[0].scalar<float>(), 27.0f);
  EXPECT_EQ((*both)[1].scalar<float>(), 8.0f);
  EXPECT_EQ((*both)[2].scalar<float>(), 12.0f);
}

TEST_F(CloneTest, BranchesAreTakenByTheClonesPredicate) {
  Output p = s.Placeholder("p", kBool, {});
  Output x = s.Placeholder("x", kFloat, {});
  Outputs y = Cond(
      s, p, [&] { return Outputs{x * 2}; }, [&] { return Outputs{x + 1}; });
  Cloned c = Clone(g).value();
  auto gradients = Gradients({c.Transformed(y[0])}, {c.Transformed(x)});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  Session session = NewSession();
  auto run = session.Run({{p, true}, {x, 5.0f}, {"copy/p:0", false}, {"copy/x:0", 7.0f}},
                         {y[0], c.Transformed(y[0]), (*gradients)[0].values});
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ((*run)[0].scalar<float>(), 10.0f);
  EXPECT_EQ((*run)[1].scalar<float>(), 8.0f);
  EXPECT_EQ((*run)[2].scalar<float>(), 1.0f);
}

TEST_F(CloneTest, NamedResourcesAreOwnOrShared) {
  AddOp(g, "HashTableV2", {},
        {{"key_dtype", kInt64}, {"value_dtype", kFloat}, {"shared_name", "t"}}, "table");
  Clone(g, {.dst_scope = "a"}).value();
  EXPECT_EQ(g.FindOperation("a/table")->attr<std::string>("shared_name").value(), "a/t");
  Graph other;
  Clone(g, {.ops = {"table"}, .into = &other, .dst_scope = ""}).value();
  EXPECT_EQ(other.FindOperation("table")->attr<std::string>("shared_name").value(), "t");
  Cloned shared = Clone(g, {.dst_scope = "b", .resources = CloneState::kShared}).value();
  EXPECT_FALSE(g.HasOperation("b/table"));
  Operation table = g.FindOperation("table").value();
  EXPECT_EQ(shared.Transformed(table), table);
}

TEST_F(CloneTest, SharedVariablesAreReadByTheClone) {
  Variable w = s.GetVariable("w", {}, ConstantInit(3.0));
  Variable v = s.GetVariable("v", {}, ConstantInit(4.0));
  Output y = w * v;
  Cloned c = Clone(g, {.variables =
                           [](const std::string& name) {
                             return name == "w" ? CloneState::kShared : CloneState::kOwn;
                           }})
                 .value();
  EXPECT_EQ(c.Transformed(w), w);
  EXPECT_EQ(c.variables().size(), 1u);
  EXPECT_FALSE(g.HasOperation("copy/w"));
  Session session = NewSession();
  ASSERT_TRUE(session.Run(s.GlobalVariablesInitializer()).ok());
  ASSERT_TRUE(session.Assign(w, Tensor(10.0f)).ok());
  EXPECT_EQ(session.Run(c.Transformed(y)).value().scalar<float>(), 40.0f);
}

TEST_F(CloneTest, BareGraphDefsHaveTheirVariablesFound) {
  Variable w = s.GetVariable("w", {}, ConstantInit(3.0));
  Variable r = s.GetVariable("r", {}, {.initializer = ConstantInit(4.0), .use_resource = true});
  Saver saver(g);
  AddOp(g, "Mul", {w, r}, {}, "y");
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Graph bare;
  ASSERT_TRUE(ImportGraphDef(bare, ExportGraphDef(g).value(), {.name = ""}).ok());
  Cloned c = Clone(bare, {.outputs = {"y:0"}}).value();
  ASSERT_EQ(c.variables().size(), 2u);
  EXPECT_THAT(Names(bare.collections().Get<Variable>(graph_keys::kGlobalVariables)),
              ElementsAre("copy/w", "copy/r"));
  EXPECT_EQ(c.variables()[1].copy.dtype(), kFloat);
  Session session = Session::Create(bare).value();
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  EXPECT_EQ(session.Run(c.Transformed("y:0")).value().scalar<float>(), 12.0f);
}

TEST_F(CloneTest, FunctionsAreCopiedToADifferentGraph) {
  auto body = NewFunctionGraph(g);
  Scope inside(*body);
  Output a = inside.Placeholder("a", kFloat, {});
  Output twice = a * 2.0f;
  ASSERT_TRUE(DefineFunction(g, *body, {.name = "Twice", .args = {a}, .returns = {twice}}).ok());
  Output x = s.Placeholder("x", kFloat, {});
  Operation call = AddOp(g, "Twice", {x}, {}, "call");
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Graph other;
  Cloned c = Clone(g, {.into = &other}).value();
  EXPECT_TRUE(HasFunction(other, "Twice"));
  Session session = Session::Create(other).value();
  auto run = session.Run({{c.Transformed(x), 4.0f}}, c.Transformed(call.output(0)));
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(run->scalar<float>(), 8.0f);
}

TEST_F(CloneTest, CollectionsAreChosen) {
  Variable w = s.GetVariable("w", {}, ConstantInit(3.0));
  Output loss = w * 1.0f;
  g.collections().Add(graph_keys::kLosses, loss);
  Cloned none = Clone(g, {.dst_scope = "none", .collections = std::vector<std::string>{}}).value();
  EXPECT_EQ(g.collections().Get(graph_keys::kGlobalVariables).size(), 1u);
  Cloned losses =
      Clone(g, {.dst_scope = "l", .collections = std::vector<std::string>{"losses"}}).value();
  EXPECT_EQ(g.collections().Get(graph_keys::kGlobalVariables).size(), 1u);
  EXPECT_TRUE(g.collections().Contains(graph_keys::kLosses, losses.Transformed(loss)));
}

TEST_F(CloneTest, DevicesAreFixedMappedOrComputed) {
  {
    Scope there = s.Device("/device:CPU:0");
    AddOp(g, "NoOp", {}, {}, "n");
  }
  Clone(g, {.dst_scope = "a", .device = "/cpu:1"}).value();
  EXPECT_EQ(g.FindOperation("a/n")->device(), "/cpu:1");
  Clone(g, {.ops = {"n"},
            .dst_scope = "b",
            .device = CloneDevice::Map{{"/device:CPU:0", "/device:CPU:2"}}})
      .value();
  EXPECT_EQ(g.FindOperation("b/n")->device(), "/device:CPU:2");
  Clone(g, {.ops = {"n"},
            .dst_scope = "c",
            .device = [](const Operation& op) { return "/job:" + op.name(); }})
      .value();
  EXPECT_EQ(g.FindOperation("c/n")->device(), "/job:n");
}

TEST_F(CloneTest, DevicesThatCannotBeParsedAreRefused) {
  AddOp(g, "NoOp", {}, {}, "n");
  const int before = g.num_operations();
  const CloneDevice devices[] = {"bad", CloneDevice::Map{{"", "bad"}},
                                 [](const Operation&) { return "bad"; }};
  for (const CloneDevice& device : devices) {
    EXPECT_THAT(Clone(g, {.ops = {"n"}, .device = device}).status().message(),
                HasSubstr("clone: device: Unknown attribute 'bad'"));
    EXPECT_EQ(g.num_operations(), before);
  }
}

TEST_F(CloneTest, OptimizersWorkInACloneOfTheWholeGraph) {
  Variable w = s.GetVariable("w", {}, ConstantInit(1.0));
  Output loss = Square(w - 5.0f);
  Operation train = Adam(0.1).Minimize(loss);
  Cloned c = Clone(g).value();
  Session session = NewSession();
  ASSERT_TRUE(session.Run(s.GlobalVariablesInitializer()).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(session.Run(train).ok());
  EXPECT_EQ(Value(session, c.Transformed(w)), 1.0f);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(session.Run(c.Transformed(train)).ok());
  EXPECT_EQ(Value(session, c.Transformed(w)), Value(session, w));
}

TEST_F(CloneTest, AClonedMetaGraphGoesThroughAFile) {
  Variable w = s.GetVariable("w", {}, ConstantInit(3.0));
  WhileLoop(
      s, [&](const Outputs& v) { return Less(v[0], 3); },
      [&](const Outputs& v) {
        return Outputs{v[0] + 1, v[1] * w};
      },
      {0, 1.0});
  Clone(g).value();
  Graph read;
  auto info = ImportMetaGraphBytes(read, ExportMetaGraph(g).value());
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  EXPECT_EQ(info->variables.size(), 2u);
  EXPECT_EQ(read.num_operations(), g.num_operations());
  Session session = Session::Create(read).value();
  ASSERT_TRUE(session.Run("copy/init").ok());
  EXPECT_EQ(session.Run("copy/while/Exit_1:0").value().scalar<float>(), 27.0f);
}

}  // namespace
}  // namespace ramet
