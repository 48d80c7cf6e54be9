#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/op/op.h"

namespace ramet {

// A KernelTester runs the CPU kernel of a registered op without a graph. Add inputs and attrs in
// the order of the op's definition, then call Run. Attrs for types and lengths that follow from the
// inputs may be omitted; others take their defaults.
//
//   auto sum = KernelTester("AddV2").Input(Tensor(1.f)).Input(Tensor(2.f)).RunOne();
//
// A tester can be run several times; variables keep their values in between. Not thread-safe.
class KernelTester {
 public:
  explicit KernelTester(std::string_view op) : op_(op) {}

  KernelTester& Attr(std::string_view name, ramet::Attr value);
  KernelTester& Input(Tensor value);
  // Adds a Ref input: a new variable with this value (uninitialized if it is empty).
  KernelTester& Ref(Tensor value);
  // Lets the kernel write its output to input i's buffer, as if nothing else read it. This destroys
  // the input, so such a tester can run only once.
  KernelTester& Forwardable(int i);

  // Returns the outputs.
  // \error kNotFound: the op is not registered.
  // \error kInvalidArgument: inputs or attrs do not match its definition.
  // \error kUnimplemented: there is no CPU kernel.
  // \error any error of the kernel.
  StatusOr<std::vector<Tensor>> Run();
  // Runs the kernel of the last Run again and drops its outputs. The tester itself allocates
  // nothing.
  // \error kFailedPrecondition: there was no Run.
  // \error any error of the kernel.
  Status RunAgain();
  // Returns the only output.
  // \error as Run.
  StatusOr<Tensor> RunOne();
  // Returns the output shapes that the shape function infers from the inputs' shapes and, with
  // `values_known`, their values.
  // \error kNotFound, kInvalidArgument: as Run.
  // \error any error of the function.
  StatusOr<std::vector<Shape>> InferShapes(bool values_known = true);
  // Returns the variable of Ref input i.
  VariableState& variable(int i) { return *variables_[i]; }

 private:
  Status Resolve();
  Status Prepare();
  Status Compute();
  Status InferAttrs(const OpSchema& schema);
  // Returns the number of inputs of a list argument if an attr tells it.
  std::optional<int> GivenCount(const ArgSchema& arg) const;
  Status InferListAttrs(const ArgSchema& arg, int first, int count);

  std::string op_;
  const Op* definition_ = nullptr;
  AttrMap attrs_;
  std::deque<Tensor> inputs_;
  std::vector<std::shared_ptr<VariableState>> variables_;  // one per input, null for plain ones
  std::vector<int> forwardable_;
  ResourceStore resources_;
  RunState run_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<KernelInput> arguments_;
  std::vector<Value> outputs_;
};

}  // namespace ramet
