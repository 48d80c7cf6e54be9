#include "ramet/edit/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/edit/reroute.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// a, foo/b -> foo/c; foo/bar/e and foo/bar/f read c, foo/bar/h reads f and e and waits for b.
class SelectTest : public ::testing::Test {
 protected:
  SelectTest() {
    a_ = Scope(graph_).Placeholder("a", DType::kFloat, {2});
    b_ = Scope(graph_).Placeholder("foo/b", DType::kFloat, {2});
    c_ = Add("foo/c", a_, b_);
    e_ = Add("foo/bar/e", c_, a_);
    f_ = Add("foo/bar/f", c_, c_);
    h_ = Add("foo/bar/h", f_, e_);
    EXPECT_TRUE(graph_.AddControlInput(h_.op(), b_.op()).ok());
  }
  Output Add(const std::string& name, Output x, Output y) {
    return graph_.AddNode({.op = "AddV2", .name = name, .inputs = {x, y}}).value().output(0);
  }

  Graph graph_;
  Output a_, b_, c_, e_, f_, h_;
};

TEST_F(SelectTest, ByScope) {
  EXPECT_THAT(OperationsInScope(graph_, "foo/bar"), ElementsAre(e_.op(), f_.op(), h_.op()));
  EXPECT_THAT(OperationsInScope(graph_, "foo/c/"), ElementsAre(c_.op()));
  EXPECT_THAT(OperationsInScope(graph_, "fo"), IsEmpty());
}

TEST_F(SelectTest, Walks) {
  EXPECT_THAT(WalkForward({c_.op()}), ElementsAre(c_.op(), e_.op(), f_.op(), h_.op()));
  EXPECT_THAT(WalkForward({c_.op()}, {.stop_at = {f_, e_}}),
              ElementsAre(c_.op(), e_.op(), f_.op()));
  EXPECT_THAT(WalkForward({b_.op()}, {.control_edges = true}),
              ElementsAre(b_.op(), c_.op(), h_.op(), e_.op(), f_.op()));
  EXPECT_THAT(WalkBackward({e_.op()}), ElementsAre(e_.op(), a_.op(), c_.op(), b_.op()));
  EXPECT_THAT(
      WalkBackward({e_.op()}, {.within = [&](const Operation& op) { return op != c_.op(); }}),
      ElementsAre(e_.op(), a_.op()));
  EXPECT_THAT(WalkForward({}), IsEmpty());
}

TEST_F(SelectTest, Boundaries) {
  const Boundary boundary = BoundaryOf({c_.op(), f_.op()});
  EXPECT_THAT(boundary.inputs, ElementsAre(a_, b_));
  EXPECT_THAT(boundary.outputs, ElementsAre(c_, f_));
  EXPECT_THAT(boundary.insides, ElementsAre(c_));
}

TEST_F(SelectTest, Reroutes) {
  EXPECT_THAT(ReadersOf(c_), ElementsAre(TensorReader{e_.op(), 0}, TensorReader{f_.op(), 0},
                                         TensorReader{f_.op(), 1}));
  GraphPatch patch(graph_);
  const auto is_f = [&](const Operation& op) { return op == f_.op(); };
  EXPECT_EQ(Reroute(patch, {b_}, {c_}, {.can_modify = is_f}).value(), 2);
  ASSERT_TRUE(patch.Apply().ok());
  EXPECT_THAT(f_.op().inputs(), ElementsAre(b_, b_));
  EXPECT_EQ(e_.op().input(0), c_);

  GraphPatch swap(graph_);
  EXPECT_EQ(SwapReaders(swap, {e_}, {f_}).value(), 2);
  ASSERT_TRUE(swap.Apply().ok());
  EXPECT_THAT(h_.op().inputs(), ElementsAre(e_, f_));
  EXPECT_FALSE(Reroute(swap, {a_}, {b_, c_}).ok());
}

}  // namespace
}  // namespace ramet
