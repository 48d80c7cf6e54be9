// Tests variables and the ops that change them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/kernel_tester.h"
#include "ramet/runtime/session.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }

std::vector<float> Values(const Tensor& t) {
  auto flat = t.flat<float>();
  return {flat.begin(), flat.end()};
}

// A graph with a variable node "v" of known shape, and values of unknown shape.
class StateTest : public ::testing::Test {
 protected:
  Output Variable(const Shape& shape, std::string_view name = "v", AttrMap attrs = {}) {
    attrs.Set("shape", shape);
    attrs.Set("dtype", kFloat);
    return AddOp(graph_, "VariableV2", {}, attrs, name).output(0);
  }
  Output Fed(const Tensor& value, std::string_view name = "x") {
    Output x = Scope(graph_).Placeholder(name, value.dtype());
    feeds_.push_back({x, value});
    return x;
  }
  Session& session() {
    if (!session_) session_ = std::make_unique<Session>(Session::Create(graph_).value());
    return *session_;
  }
  StatusOr<Tensor> Run(const Output& y) {
    EXPECT_TRUE(graph_.status().ok()) << graph_.status().ToString();
    return session().Run(feeds_, y);
  }
  Output Assign(const Output& ref, const Output& value, bool validate = true) {
    return AddOp(graph_, "Assign", {ref, value}, {{"validate_shape", validate}}).output(0);
  }

  Graph graph_;
  Feeds feeds_;
  std::unique_ptr<Session> session_;
};

TEST_F(StateTest, FirstValueMustHaveTheDeclaredShape) {
  Output assign = Assign(Variable({4}), Fed(Floats({1, 2})));
  Status status = Run(assign).status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(
      status.message(),
      HasSubstr("Assign requires shapes of both tensors to match. lhs shape= [4] rhs shape= [2]"));
  EXPECT_THAT(status.message(), HasSubstr("variable 'v'; pass validate_shape=false to allow"));
  EXPECT_THAT(status.message(), HasSubstr("[[{{node Assign}}]]"));
}

TEST_F(StateTest, WithoutValidationTheShapeMayChange) {
  Output v = Variable({4});
  Output reshape = Assign(v, Fed(Floats({1, 2})), false);
  Output same = Assign(v, Fed(Floats({5, 6}), "y"));
  EXPECT_THAT(Values(Run(reshape).value()), ElementsAre(1, 2));
  EXPECT_THAT(Values(Run(same).value()), ElementsAre(5, 6));
}

TEST_F(StateTest, UseOfAnUninitializedVariable) {
  Output v = Variable({2});
  Output one = Constant(graph_, Floats({1, 1}));
  Output indices = Constant(graph_, Tensor::Vector<int32_t>({0, 1}));
  for (const Output& y :
       {AddOp(graph_, "Identity", {v}).output(0), AddOp(graph_, "AssignAdd", {v, one}).output(0),
        AddOp(graph_, "ScatterAdd", {v, indices, one}).output(0),
        AddOp(graph_, "ApplyGradientDescent", {v, 0.5f, one}).output(0)}) {
    Status status = Run(y).status();
    EXPECT_TRUE(IsFailedPrecondition(status)) << y.name();
    EXPECT_THAT(status.message(), HasSubstr("Attempting to use uninitialized value v"));
  }
  Output known = AddOp(graph_, "IsVariableInitialized", {v}).output(0);
  EXPECT_FALSE(Run(known).value().scalar<bool>());
  Run(Assign(v, one)).value();
  EXPECT_TRUE(Run(known).value().scalar<bool>());
}

TEST_F(StateTest, NodesWithTheSameSharedNameShareOneVariable) {
  Output a = Variable({1}, "a", {{"shared_name", "shared"}});
  Output b = Variable({1}, "b", {{"shared_name", "shared"}});
  Output other = Variable({1}, "c", {{"shared_name", "shared"}, {"container", "elsewhere"}});
  Run(Assign(a, Constant(graph_, Floats({3})))).value();
  EXPECT_THAT(Values(Run(b).value()), ElementsAre(3));
  EXPECT_TRUE(IsFailedPrecondition(Run(other).status()));
}

// An Assign shares the buffer of its value; an update must not change the other tensors that share
// the buffer.
TEST_F(StateTest, UpdatesDoNotReachSharedBuffers) {
  Output constant = Constant(graph_, Floats({1, 2}));
  Output v = Variable({2}), w = Variable({2}, "w");
  Output init_v = Assign(v, constant);
  Output init_w = Assign(w, AddOp(graph_, "Identity", {v}).output(0));
  Output add = AddOp(graph_, "AssignAdd", {v, Constant(graph_, Floats({10, 10}))}).output(0);
  Run(init_v).value();
  Run(init_w).value();
  Tensor fetched = Run(v).value();
  for (int i = 0; i < 3; ++i) Run(add).value();
  EXPECT_THAT(Values(fetched), ElementsAre(1, 2));
  EXPECT_THAT(Values(Run(w).value()), ElementsAre(1, 2));
  EXPECT_THAT(Values(Run(constant).value()), ElementsAre(1, 2));
  EXPECT_THAT(Values(Run(v).value()), ElementsAre(31, 32));
}

TEST_F(StateTest, AFedValueIsNotAVariable) {
  Output v = Variable({2});
  Output add = AddOp(graph_, "AssignAdd", {v, Constant(graph_, Floats({1, 1}))}).output(0);
  Status status = session().Run({{v, Floats({5, 6})}}, add).status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("must be a variable"));
}

TEST_F(StateTest, ScatterLeavesTheVariableUnchangedOnAnError) {
  Output v = Variable({3});
  Run(Assign(v, Constant(graph_, Floats({1, 2, 3})))).value();
  Output scatter = AddOp(graph_, "ScatterAdd",
                         {v, Fed(Tensor::Vector<int32_t>({0, 3}), "i"), Fed(Floats({5, 5}), "u")})
                       .output(0);
  EXPECT_THAT(Run(scatter).status().message(), HasSubstr("indices[1] = 3 is not in [0, 3)"));
  EXPECT_THAT(Values(Run(v).value()), ElementsAre(1, 2, 3));
}

TEST_F(StateTest, TemporaryVariableAccumulates) {
  Output ref = AddOp(graph_, "TemporaryVariable", {},
                     {{"shape", Shape{2}}, {"dtype", kFloat}, {"var_name", "sum"}})
                   .output(0);
  Output start = Assign(ref, Constant(graph_, Floats({0, 0})));
  Output sum = AddOp(graph_, "AssignAdd", {start, Fed(Floats({1, 2}))}).output(0);
  Output again = AddOp(graph_, "AssignAdd", {sum, Constant(graph_, Floats({10, 10}))}).output(0);
  Output result =
      AddOp(graph_, "DestroyTemporaryVariable", {again}, {{"var_name", "sum"}}).output(0);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Values(Run(result).value()), ElementsAre(11, 12));
  Output wrong =
      AddOp(graph_, "DestroyTemporaryVariable", {again}, {{"var_name", "other"}}).output(0);
  EXPECT_THAT(Run(wrong).status().message(), HasSubstr("Resource other does not exist"));
}

// The inputs of several ops name the same variables in different orders, and the ops run in several
// threads; they must not deadlock.
TEST_F(StateTest, OptimizersThatShareVariablesDoNotDeadlock) {
  Output a = Variable({2}, "a"), b = Variable({2}, "b");
  Output zeros = Constant(graph_, Floats({0, 0}));
  Output grad = Constant(graph_, Floats({1, 1}));
  Run(Assign(a, zeros)).value();
  Run(Assign(b, zeros)).value();
  Output forth = AddOp(graph_, "ApplyMomentum", {a, b, 0.5f, grad, 0.5f}).output(0);
  Output back = AddOp(graph_, "ApplyMomentum", {b, a, 0.5f, grad, 0.5f}).output(0);
  session().Run({forth, back}).value();
  std::vector<std::thread> threads;
  for (const Output& y : {forth, back}) {
    threads.emplace_back([&, y] {
      for (int i = 0; i < 200; ++i) session().Run(y).value();
    });
  }
  for (std::thread& t : threads) t.join();
  Output same = AddOp(graph_, "ApplyMomentum", {a, a, 0.5f, grad, 0.5f}).output(0);
  EXPECT_THAT(Run(same).status().message(), HasSubstr("var and accum are both the variable 'a'"));
}

TEST(StateKernelTest, SlotsMustHaveTheShapeOfTheVariable) {
  auto status = [](Tensor accum, Tensor grad) {
    return KernelTester("ApplyMomentum")
        .Ref(Floats({1, 2, 3, 4}))
        .Ref(std::move(accum))
        .Input(Tensor(0.5f))
        .Input(std::move(grad))
        .Input(Tensor(0.5f))
        .Run()
        .status();
  };
  EXPECT_THAT(status(Floats({1, 2}), Floats({1, 2, 3, 4})).message(),
              HasSubstr("var and accum do not have the same shape[4] [2]"));
  EXPECT_THAT(status(Floats({1, 2, 3, 4}), Floats({1, 2, 3})).message(),
              HasSubstr("var and grad do not have the same shape[4] [3]"));
  EXPECT_TRUE(IsFailedPrecondition(status(Tensor(), Floats({1, 2, 3, 4}))));
}

// An update of a variable whose buffer is shared writes to a new buffer, with the same result.
TEST(StateKernelTest, UpdatesInPlaceAndOutOfPlaceAgree) {
  for (std::string_view op : {"ApplyAdagrad", "SparseApplyAdagrad"}) {
    std::vector<Tensor> results;
    for (bool held : {false, true}) {
      KernelTester tester(op);
      tester.Ref(Tensor::Of<float>({3, 1}, {1, 2, 3})).Ref(Tensor::Of<float>({3, 1}, {1, 1, 1}));
      tester.Input(Tensor(0.5f));
      if (op == "ApplyAdagrad") {
        tester.Input(Tensor::Of<float>({3, 1}, {1, -1, 2}));
      } else {
        tester.Input(Tensor::Of<float>({2, 1}, {1, -1})).Input(Tensor::Vector<int32_t>({2, 0}));
      }
      Tensor holder = held ? tester.variable(0).Read() : Tensor();
      Tensor before = held ? holder.DeepCopy().value() : Tensor();
      results.push_back(tester.RunOne().value());
      EXPECT_TRUE(!held || holder.BitwiseEquals(before));
    }
    EXPECT_TRUE(results[0].BitwiseEquals(results[1])) << op;
  }
}

}  // namespace
}  // namespace ramet
