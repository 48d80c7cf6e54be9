// Tests that a failed clone leaves both graphs byte for byte unchanged, and that values are copied
// between graphs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

namespace ramet {
namespace {

using ::testing::HasSubstr;

class CloneAtomicTest : public ::testing::Test {
 protected:
  CloneAtomicTest() {
    x = s.Placeholder("x", kFloat, {});
    w = s.GetVariable("w", {}, ConstantInit(3.0));
    r = s.GetVariable("r", {2}, {.initializer = ConstantInit(4.0), .use_resource = true});
    Output looped = WhileLoop(
        s, [&](const Outputs& v) { return Less(v[0], 3); },
        [&](const Outputs& v) {
          return Outputs{v[0] + 1, v[1] * w};
        },
        {0, x})[1];
    auto body = NewFunctionGraph(g);
    Scope inside(*body);
    Output a = inside.Placeholder("a", kFloat, {});
    EXPECT_TRUE(
        DefineFunction(g, *body, {.name = "Twice", .args = {a}, .returns = {a * 2.0f}}).ok());
    y = AddOp(g, "Twice", {looped}, {}, "y").output(0);
    EXPECT_TRUE(g.status().ok()) << g.status().ToString();
  }

  // Returns everything that a file contains of a graph, and the state that building depends on.
  static std::string State(Graph& graph) {
    Graph* const at = &graph;
    std::string state = ExportMetaGraph(graph).value() + ExportGraphDef(graph).value();
    return StrCat(state, at->num_operations(), " ", graph.variables().size(), " ",
                  graph.UniqueName("copy", false), " ", graph.UniqueName("copy/w", false), " ",
                  graph.UniqueName("copy/init", false));
  }
  std::string Refused(const CloneOptions& options, Graph& into) {
    const std::string source = State(g), target = State(into);
    auto c = Clone(g, options);
    EXPECT_FALSE(c.ok());
    EXPECT_TRUE(State(g) == source);
    EXPECT_TRUE(State(into) == target);
    EXPECT_FALSE(into.HasOperation("copy/w"));
    return std::string(c.status().message());
  }

  Graph g, other;
  Scope s{g};
  Output x, y;
  Variable w, r;
};

TEST_F(CloneAtomicTest, RefusedClonesChangeNothing) {
  EXPECT_THAT(Refused({.outputs = {"nothing:0"}}, other), HasSubstr("outputs"));
  EXPECT_THAT(Refused({.dst_scope = "a b"}, other), HasSubstr("dst_scope"));
  EXPECT_THAT(Refused({.inputs = {"w:0"}, .outputs = {y}}, other), HasSubstr("inputs"));
  EXPECT_THAT(Refused({.scope = "while", .into = &other}, other), HasSubstr("inputs"));
  EXPECT_THAT(Refused({.into = &other, .variables = CloneState::kShared}, other),
              HasSubstr("variables"));
  EXPECT_THAT(Refused({.dtype = kInt32}, other), HasSubstr("dtype"));
  EXPECT_THAT(Refused({.outputs = {y}, .input_map = {{x, ClonePlaceholder{.name = "?"}}}}, other),
              HasSubstr("input_map"));
  EXPECT_THAT(
      Refused({.outputs = {y}, .input_map = {{x, ClonePlaceholder{.shape = Shape{2}}}}}, other),
      HasSubstr("input_map"));
  other.Finalize();
  EXPECT_THAT(Refused({.into = &other}, other), HasSubstr("finalized"));
}

// An operation may be called "_x" only within a scope.
TEST_F(CloneAtomicTest, NamesThatNeedAScopeAreRefusedWithoutOne) {
  const ClonePlaceholder hidden{.name = "_x"};
  CloneOptions named = {
      .outputs = {y}, .into = &other, .dst_scope = "", .input_map = {{x, hidden}}};
  EXPECT_THAT(Refused(named, other), HasSubstr("'_x' is not a valid name"));
  named.dst_scope = "copy";
  EXPECT_TRUE(Clone(g, named).ok());
  EXPECT_TRUE(other.HasOperation("copy/_x"));

  AddOp(g, "NoOp", {}, {}, "net/_last");
  Graph third;
  const CloneOptions stripped = {.scope = "net", .into = &third, .dst_scope = ""};
  EXPECT_THAT(Refused(stripped, third), HasSubstr("'_last' is not a valid name"));
}

TEST_F(CloneAtomicTest, WrongValuesChangeNothing) {
  auto current = [&](auto value_of) {
    return CloneOptions{.into = &other, .initial = kCurrent, .session = value_of};
  };
  EXPECT_THAT(Refused({.into = &other, .initial = kCurrent}, other), HasSubstr("session"));
  EXPECT_THAT(
      Refused(current([](const Variable&) { return StatusOr<Tensor>(NotFound("gone")); }), other),
      HasSubstr("clone: session: 'w': gone"));
  EXPECT_THAT(Refused(current([](const Variable&) { return StatusOr<Tensor>(Tensor()); }), other),
              HasSubstr("clone: session: variable 'w' has no value"));
  EXPECT_THAT(Refused(current([](const Variable&) { return StatusOr<Tensor>(Tensor(1)); }), other),
              HasSubstr("variable 'w' is float[]; the value is int32[]"));
  EXPECT_THAT(
      Refused(current([](const Variable&) { return StatusOr<Tensor>(Tensor(1.0f)); }), other),
      HasSubstr("variable 'r' is float[2]; the value is float[]"));
  Session elsewhere = Session::Create(other).value();
  EXPECT_THAT(Refused({.into = &other, .initial = kCurrent, .session = elsewhere}, other),
              HasSubstr("clone: session: the session belongs to a different graph"));
}

// The nodes that set first values are added last. Their shape errors fail the clone, too.
TEST_F(CloneAtomicTest, FailuresAfterTheCopyChangeNothing) {
  Graph bare;
  ASSERT_TRUE(ImportGraphDef(bare, ExportGraphDef(g).value(), {.name = ""}).ok());
  AddOp(bare, "VarHandleOp", {}, {{"dtype", kFloat}, {"shape", Shape{2}}, {"shared_name", "odd"}},
        "odd");
  AddOp(bare, "VariableV2", {}, {{"dtype", kFloat}, {"shape", Shape{3}}}, "plain");
  ASSERT_TRUE(bare.status().ok()) << bare.status().ToString();
  const std::string before = State(bare);
  EXPECT_FALSE(Clone(bare).ok());
  EXPECT_TRUE(State(bare) == before);
}

// Ends the call at a look for an interrupt: 0 is the first one.
class EndsAtLook final : public RunInterrupt {
 public:
  explicit EndsAtLook(int look) : RunInterrupt(false), end_(look) { Request(); }
  int looks() const { return looks_; }

 private:
  bool Due() override {
    Request();
    return looks_++ == end_;
  }
  const int end_;
  int looks_ = 0;
};

TEST_F(CloneAtomicTest, InterruptsChangeNothing) {
  const auto cloned = [&](Graph& into, int look) {
    const EndsAtLook interrupt(look);
    return Clone(g, {.outputs = {y, r.ref()}, .into = &into}).status();
  };
  for (Graph* into : {&g, &other}) {
    const std::string source = State(g), target = State(*into);
    int looks = 0;
    while (true) {
      const Status status = cloned(*into, looks);
      if (status.ok()) break;
      ASSERT_TRUE(IsCancelled(status)) << status.ToString();
      ASSERT_TRUE(State(g) == source) << "look " << looks;
      ASSERT_TRUE(State(*into) == target) << "look " << looks;
      ++looks;
    }
    EXPECT_GE(looks, 6);
  }
}

TEST_F(CloneAtomicTest, LooksForInterruptsWhileItCopies) {
  Graph many;
  for (int i = 0; i < 30'000; ++i) AddOp(many, "NoOp", {}, {}, StrCat("n", i));
  const EndsAtLook interrupt(-1);
  ASSERT_TRUE(Clone(many, {.into = &other}).ok());
  EXPECT_GE(interrupt.looks(), 30);
}

TEST_F(CloneAtomicTest, FunctionWithDifferentBodyChangesNothing) {
  auto body = NewFunctionGraph(other);
  Scope inside(*body);
  Output a = inside.Placeholder("a", kFloat, {});
  ASSERT_TRUE(
      DefineFunction(other, *body, {.name = "Twice", .args = {a}, .returns = {a * 3.0f}}).ok());
  EXPECT_THAT(Refused({.into = &other}, other), HasSubstr("Twice"));
}

TEST_F(CloneAtomicTest, NextCloneIsUnaffectedByAFailure) {
  Graph again;
  Cloned first = Clone(g, {.into = &again}).value();
  Refused({.into = &other,
           .initial = kCurrent,
           .session = [](const Variable&) { return StatusOr<Tensor>(Tensor(1)); }},
          other);
  Cloned second = Clone(g, {.into = &other}).value();
  EXPECT_TRUE(ExportMetaGraph(again).value() == ExportMetaGraph(other).value());
}

TEST_F(CloneAtomicTest, RunningSessionsSeeTheClone) {
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(s.GlobalVariablesInitializer()).ok());
  ASSERT_TRUE(session.Run({{x, 1.0f}}, y).ok());
  Cloned c = Clone(g, {.initial = kCurrent}).value();
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  auto run = session.Run({{c.Transformed(x), 1.0f}}, c.Transformed(y));
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(run->scalar<float>(), 54.0f);
}

TEST_F(CloneAtomicTest, ValuesAreCopiedBetweenGraphsThroughSessions) {
  Session here = Session::Create(g).value();
  ASSERT_TRUE(here.Run(s.GlobalVariablesInitializer()).ok());
  Cloned c = Clone(g, {.into = &other, .initial = kCurrent, .session = here}).value();
  Session there = Session::Create(other).value();
  ASSERT_TRUE(there.Run(c.init_op()).ok());
  EXPECT_EQ(there.Value(c.Transformed(w)).value().scalar<float>(), 3.0f);

  ASSERT_TRUE(here.Assign(w, Tensor(7.0f)).ok());
  Status updated = c.Update(here, there);
  ASSERT_TRUE(updated.ok()) << updated.ToString();
  EXPECT_EQ(there.Value(c.Transformed(w)).value().scalar<float>(), 7.0f);
  const Tensor large = here.Value(r).value(), copied = there.Value(c.Transformed(r)).value();
  EXPECT_EQ(large.raw_data(), copied.raw_data()) << "values share buffers";
  ASSERT_TRUE(here.Assign(w, Tensor(9.0f)).ok());
  ASSERT_TRUE(c.Polyak(0.5, here, there).ok());
  EXPECT_EQ(there.Value(c.Transformed(w)).value().scalar<float>(), 8.0f);
  const int size = other.num_operations();
  ASSERT_TRUE(c.Update(here, there).ok());
  ASSERT_TRUE(c.Polyak(0.5, here, there).ok());
  EXPECT_EQ(other.num_operations(), size) << "the nodes that run are added only once";

  EXPECT_THAT(c.UpdateOp().status().message(), HasSubstr("clone: update_op: "));
  EXPECT_THAT(c.PolyakOp(0.5).status().message(), HasSubstr("clone: polyak_op: "));
  EXPECT_THAT(c.Update({}, there).message(), HasSubstr("clone: session: "));
  EXPECT_THAT(c.Update(here, {}).message(), HasSubstr("clone: target session: "));
  EXPECT_THAT(c.Update(there, here).message(), HasSubstr("a different graph"));
  EXPECT_THAT(c.Polyak(2, here, there).message(), HasSubstr("tau"));
  Session empty = Session::Create(g).value();
  EXPECT_THAT(c.Update(empty, there).message(), HasSubstr("'w' has no value"));
}

TEST_F(CloneAtomicTest, PlaceholdersAreMadeOnRequest) {
  Output h = y.op().input(0);
  Cloned c = Clone(g, {.outputs = {y},
                       .input_map = {{h, ClonePlaceholder{.name = "fed", .shape = Shape()}}}})
                 .value();
  EXPECT_EQ(c.Transformed(h).name(), "copy/fed:0");
  EXPECT_EQ(c.Transformed(h).op().type(), "Placeholder");
  EXPECT_TRUE(c.variables().empty());
  Cloned whole = Clone(g, {.dst_scope = "whole", .input_map = {{x, ClonePlaceholder{}}}}).value();
  EXPECT_EQ(whole.Transformed(x).op().type(), "Placeholder");
  Session session = Session::Create(g).value();
  auto run = session.Run({{c.Transformed(h), 5.0f}}, c.Transformed(y));
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(run->scalar<float>(), 10.0f);
}

}  // namespace
}  // namespace ramet
