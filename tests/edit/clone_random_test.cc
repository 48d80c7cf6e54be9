// Tests with random graphs: a clone is isomorphic to the original, and a clone of a clone is a
// clone.

#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <random>

namespace ramet {
namespace {

// A graph of variables, sums, control edges, groups, loops and branches.
class RandomGraph {
 public:
  RandomGraph(Graph& graph, unsigned seed) : scope_(graph), random_(seed) {
    tensors_.push_back(scope_.Placeholder("x", kFloat, {}));
    for (int i = 0; i < 60; ++i) AddSomething(i);
  }
  const std::vector<Output>& tensors() const { return tensors_; }

 private:
  int Below(size_t n) { return static_cast<int>(random_() % n); }
  Output Any() { return tensors_[static_cast<size_t>(Below(tensors_.size()))]; }

  void AddSomething(int i) {
    switch (Below(6)) {
      case 0:
        tensors_.push_back(scope_.GetVariable(
            StrCat("v", i), {}, {.initializer = ConstantInit(i), .use_resource = Below(2) == 0}));
        return;
      case 1: {
        Scope beside = scope_.ColocateWith(Any().op());
        tensors_.push_back(Any() * 0.5f);
        return;
      }
      case 2: {
        Scope after = scope_.ControlDependencies({Any().op()});
        tensors_.push_back(Any() - Any());
        return;
      }
      case 3: return AddLoop();
      case 4: {
        const Output a = Any(), b = Any();
        tensors_.push_back(Cond(
            scope_, Less(a, b), [&] { return Outputs{a + 1.0f}; },
            [&] { return Outputs{b * 0.25f}; })[0]);
        return;
      }
      default: tensors_.push_back(Any() + Any()); return;
    }
  }

  void AddLoop() {
    const Output a = Any(), b = Any();
    tensors_.push_back(WhileLoop(
        scope_, [&](const Outputs& v) { return Less(v[0], 3); },
        [&](const Outputs& v) {
          return Outputs{v[0] + 1, v[1] * 0.5f + b};
        },
        {0, a})[1]);
  }

  Scope scope_;
  std::mt19937 random_;
  std::vector<Output> tensors_;
};

// Checks that every node of `of` has a copy in `c` with copied inputs and control inputs, and the
// same op, dtypes and shapes.
void ExpectIsomorphic(const Cloned& c, const std::vector<Operation>& of) {
  for (const Operation& op : of) {
    const Operation copy = c.Transformed(op);
    ASSERT_TRUE(copy.valid()) << op.name();
    EXPECT_EQ(copy.name(), StrCat(c.scope(), "/", op.name()));
    EXPECT_EQ(copy.type(), op.type());
    ASSERT_EQ(copy.num_inputs(), op.num_inputs());
    for (int i = 0; i < op.num_inputs(); ++i) {
      EXPECT_EQ(copy.input(i), c.Transformed(op.input(i))) << op.name();
    }
    const auto controls = op.control_inputs(), copied = copy.control_inputs();
    ASSERT_EQ(controls.size(), copied.size());
    for (size_t i = 0; i < controls.size(); ++i) {
      EXPECT_EQ(copied[i], c.Transformed(controls[i]));
    }
    for (int i = 0; i < op.num_outputs(); ++i) {
      EXPECT_EQ(copy.output(i).dtype(), op.output(i).dtype());
      EXPECT_EQ(copy.output(i).shape(), op.output(i).shape());
    }
    if (auto groups = op.attr<std::vector<std::string>>("_class"); groups.ok()) {
      for (std::string& group : *groups) group = StrCat("loc:@", c.scope(), "/", group.substr(5));
      EXPECT_EQ(copy.attr<std::vector<std::string>>("_class").value(), *groups);
    }
    const ControlFlowContext* context = ContextOf(op);
    const ControlFlowContext* copied_context = ContextOf(copy);
    ASSERT_EQ(context == nullptr, copied_context == nullptr) << op.name();
    if (context == nullptr) continue;
    EXPECT_EQ(copied_context->name(), StrCat(c.scope(), "/", context->name()));
    EXPECT_EQ(copied_context->values().size(), context->values().size());
    EXPECT_EQ(copied_context->external_values().size(), context->external_values().size());
  }
}

class CloneRandomTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(CloneRandomTest, IsIsomorphicAndComputesTheSame) {
  Graph g;
  RandomGraph random(g, GetParam());
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  const std::vector<Operation> originals = g.operations();
  Cloned c = Clone(g, {.dst_scope = "a"}).value();
  ExpectIsomorphic(c, originals);

  Scope scope(g);
  Operation init = scope.GlobalVariablesInitializer();
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(init).ok());
  std::vector<GraphElement> fetches;
  for (const Output& t : random.tensors()) fetches.emplace_back(t);
  for (const Output& t : random.tensors()) fetches.emplace_back(c.Transformed(t));
  auto run = session.Run({{"x:0", 1.5f}, {"a/x:0", 1.5f}}, fetches);
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  const size_t n = random.tensors().size();
  for (size_t i = 0; i < n; ++i) {
    EXPECT_EQ((*run)[i].scalar<float>(), (*run)[n + i].scalar<float>()) << i;
  }
}

TEST_P(CloneRandomTest, ACloneOfACloneIsAClone) {
  Graph g, once, twice;
  RandomGraph random(g, GetParam());
  Cloned first = Clone(g, {.into = &once, .dst_scope = "a"}).value();
  Cloned direct = Clone(g, {.into = &twice, .dst_scope = "b/a"}).value();
  Graph through;
  std::vector<GraphElement> copied;
  for (const Operation& op : first.operations()) copied.emplace_back(op);
  Cloned second = Clone(once, {.ops = copied, .into = &through, .dst_scope = "b"}).value();
  for (const Operation& op : g.operations()) {
    const Operation one = direct.Transformed(op);
    const Operation two = second.Transformed(first.Transformed(op));
    ASSERT_TRUE(one.valid() && two.valid());
    EXPECT_EQ(one.name(), two.name());
    EXPECT_TRUE(*one.attrs() == *two.attrs()) << one.name();
    ASSERT_EQ(one.num_inputs(), two.num_inputs());
    for (int i = 0; i < one.num_inputs(); ++i) EXPECT_EQ(one.input(i).name(), two.input(i).name());
    ASSERT_EQ(one.control_inputs().size(), two.control_inputs().size());
  }
  EXPECT_EQ(direct.variables().size(), second.variables().size());
}

TEST_P(CloneRandomTest, OutputsAloneComputeTheSame) {
  Graph g;
  RandomGraph random(g, GetParam());
  const Output last = random.tensors().back();
  Graph other;
  Cloned c = Clone(g, {.inputs = {"x:0"}, .outputs = {last}, .into = &other}).value();
  Scope scope(g);
  Operation init = scope.GlobalVariablesInitializer();
  Session here = Session::Create(g).value(), there = Session::Create(other).value();
  ASSERT_TRUE(here.Run(init).ok());
  ASSERT_TRUE(there.Run(c.init_op()).ok());
  auto a = here.Run({{"x:0", 0.75f}}, last),
       b = there.Run({{"copy/x:0", 0.75f}}, c.Transformed(last));
  ASSERT_TRUE(a.ok()) << a.status().ToString();
  ASSERT_TRUE(b.ok()) << b.status().ToString();
  EXPECT_EQ(a->scalar<float>(), b->scalar<float>());
}

INSTANTIATE_TEST_SUITE_P(Seeds, CloneRandomTest, ::testing::Range(1u, 25u));

}  // namespace
}  // namespace ramet
