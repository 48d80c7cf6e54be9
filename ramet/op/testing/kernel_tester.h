#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/op/op.h"

namespace ramet {

// A KernelTester runs the CPU kernel of one registered op without a graph: give it inputs and attrs
// in the order of the op's definition, then Run. Types and lengths that follow from the inputs need
// not be given as attrs; others take their defaults.
//
//   auto sum = KernelTester("AddV2").Input(Tensor(1.f)).Input(Tensor(2.f)).RunOne();
//
// A tester can be run several times; variables keep their values in between. Not thread-safe.
class KernelTester {
 public:
  explicit KernelTester(std::string_view op) : op_(op) {}

  KernelTester& Attr(std::string_view name, ramet::Attr value);
  KernelTester& Input(Tensor value);
  // A Ref input: a new variable with this value (uninitialised if it is empty).
  KernelTester& Ref(Tensor value);
  // Lets the kernel write its output over input i, as when nobody else needs it. The input is
  // spoilt then: such a tester runs once.
  KernelTester& Forwardable(int i);

  // The outputs. \error kNotFound if the op is not registered; kInvalidArgument if inputs or attrs
  // do
  //   not fit its definition; kUnimplemented if there is no CPU kernel; what the kernel returns.
  StatusOr<std::vector<Tensor>> Run();
  // Runs the kernel of the last Run once more and drops its outputs; the tester itself allocates
  // nothing meanwhile. \error what the kernel returns; kFailedPrecondition without a Run before.
  Status RunAgain();
  // The only output. \error as Run.
  StatusOr<Tensor> RunOne();
  // What the shape function says of the outputs, with the inputs' shapes known, and their values
  // too where `values_known`. \error kNotFound, kInvalidArgument as Run; what the function returns.
  StatusOr<std::vector<Shape>> InferShapes(bool values_known = true);
  // The variable of Ref input i.
  VariableState& variable(int i) { return *variables_[i]; }

 private:
  Status Resolve();
  Status Prepare();
  Status Compute();
  Status InferAttrs(const OpSchema& schema);
  Status InferListAttrs(const ArgSchema& arg, int first, int count);

  std::string op_;
  const Op* definition_ = nullptr;
  AttrMap attrs_;
  std::deque<Tensor> inputs_;
  std::vector<std::shared_ptr<VariableState>> variables_;  // one per input, null for plain ones
  uint64_t forwardable_ = 0;
  ResourceStore resources_;
  RunState run_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<const Tensor*> arguments_;
  std::vector<VariableState*> refs_;
  std::vector<Value> outputs_;
};

}  // namespace ramet
