// Operations that run without a graph, and tapes that differentiate them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

class EagerTest : public ::testing::Test {
 protected:
  EagerTest() : context_(EagerContext::Make(library_, {}).value()) {}

  StatusOr<EagerValue> Apply(const std::string& op, std::vector<EagerValue> args,
                             AttrMap attrs = {}) {
    EagerOpSpec spec{op, std::move(attrs), {}, ""};
    for (const EagerValue& arg : args) spec.input_types.push_back(arg.dtype());
    return context_->Apply(spec, args);
  }
  EagerValue Mul(const EagerValue& x, const EagerValue& y) { return Apply("Mul", {x, y}).value(); }
  // Returns dy/dx as computed by a tape.
  EagerValue Gradient(Tape& tape, const EagerValue& y, const EagerValue& x) {
    return tape.Gradients(*context_, {&y, 1}, {&x, 1}, std::vector<EagerGradient>(1))
        .value()[0]
        .values;
  }
  static float Scalar(const EagerValue& value) { return value.value.tensor.scalar<float>(); }

  Graph library_;
  std::unique_ptr<EagerContext> context_;
};

TEST_F(EagerTest, RunsOperations) {
  const EagerValue x(Tensor(3.0f)), y(Tensor(4.0f));
  EXPECT_EQ(Scalar(Mul(x, y)), 12);
  EXPECT_NE(Mul(x, y).id, Mul(x, y).id);
  EXPECT_EQ(EagerValue(x).id, x.id);
  EXPECT_FALSE(EagerValue().exists());
}

TEST_F(EagerTest, CompilesAnOperationOnce) {
  const EagerOpSpec spec{"Mul", {}, {kFloat, kFloat}, ""};
  const auto first = context_->FunctionFor(spec).value();
  EXPECT_EQ(context_->FunctionFor(spec).value(), first);
  const int64_t generation = context_->generation();
  context_->Forget();
  EXPECT_NE(context_->FunctionFor(spec).value(), first);
  EXPECT_GT(context_->generation(), generation);
}

TEST_F(EagerTest, ReportsErrorsOfKernels) {
  const EagerValue x(Tensor::Vector<float>({1, 2})), y(Tensor::Vector<float>({1, 2, 3}));
  EXPECT_THAT(Apply("Mul", {x, y}).status().message(), HasSubstr("Incompatible shapes"));
  EXPECT_THAT(Apply("NoSuchOp", {x}).status().message(), HasSubstr("NoSuchOp"));
}

TEST_F(EagerTest, AHandleKeepsItsVariable) {
  EagerValue handle = EagerValue::NewVariable("v");
  const std::weak_ptr<VariableState> variable = handle.owner;
  std::vector<EagerValue> args = {handle, EagerValue(Tensor(2.0f))};
  const auto assign =
      context_->FunctionFor({"AssignVariableOp", {}, {DType::kResource, kFloat}, ""}).value();
  ASSERT_TRUE(context_->Execute(assign, args, {}).ok());
  EXPECT_EQ(Scalar(Apply("ReadVariableOp", {handle}, {{"dtype", kFloat}}).value()), 2);
  EXPECT_EQ(NumResultsOf(*assign), 0);
  handle = EagerValue();
  EXPECT_FALSE(variable.expired());  // `args` has it
  args.clear();
  EXPECT_TRUE(variable.expired());
}

TEST_F(EagerTest, ReadsNoVariableWithoutAValue) {
  const EagerValue handle = EagerValue::NewVariable("v");
  const auto read = Apply("ReadVariableOp", {handle}, {{"dtype", kFloat}});
  EXPECT_THAT(read.status().message(), HasSubstr("Could not find variable v"));
}

TEST_F(EagerTest, TapesDifferentiate) {
  const EagerValue x(Tensor(3.0f));
  Tape tape;
  tape.Start();
  tape.Watch(x.id);
  const EagerValue y = Mul(Mul(x, x), x);
  tape.Stop();
  EXPECT_EQ(Scalar(Gradient(tape, y, x)), 27);
  EXPECT_FALSE(Gradient(tape, y, EagerValue(Tensor(1.0f))).exists());
}

TEST_F(EagerTest, TapesRecordGradients) {
  const EagerValue x(Tensor(3.0f));
  Tape outer;
  outer.Start();
  outer.Watch(x.id);
  EagerValue first;
  {
    Tape inner;
    inner.Start();
    inner.Watch(x.id);
    const EagerValue y = Mul(Mul(x, x), x);
    inner.Stop();
    first = Gradient(inner, y, x);
  }
  outer.Stop();
  EXPECT_EQ(Scalar(Gradient(outer, first, x)), 18);
}

TEST_F(EagerTest, TapesUseBackwardFunctions) {
  const EagerValue x(Tensor(3.0f)), y(Tensor(5.0f));
  Tape tape;
  tape.Start();
  tape.Watch(x.id);
  Tape::RecordBackward({&x, 1}, {&y, 1}, [](std::span<const EagerGradient> gradients) {
    return std::vector<EagerGradient>(gradients.begin(), gradients.end());
  });
  const EagerValue z = Mul(y, y);
  tape.Stop();
  EXPECT_EQ(Scalar(Gradient(tape, z, x)), 10);
}

TEST_F(EagerTest, PausedTapesDoNotRecord) {
  const EagerValue x(Tensor(3.0f));
  Tape tape;
  tape.Start();
  tape.Watch(x.id);
  TapePause pause;
  const EagerValue y = Mul(x, x);
  pause.Resume();
  tape.Stop();
  EXPECT_FALSE(Gradient(tape, y, x).exists());
}

TEST_F(EagerTest, NamesOperationsWithoutAGradient) {
  const EagerValue ids(Tensor::Vector<int32_t>({0, 1})), size(Tensor(int32_t{2}));
  const EagerValue weights(Tensor::Vector<float>({2, 3}));
  Tape tape;
  tape.Start();
  tape.Watch(weights.id);
  const EagerValue y = Apply("DenseBincount", {ids, size, weights}).value();
  tape.Stop();
  const Status status =
      tape.Gradients(*context_, {&y, 1}, {&weights, 1}, std::vector<EagerGradient>(1)).status();
  EXPECT_TRUE(IsNotFound(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("DenseBincount"));
}

}  // namespace
}  // namespace ramet
