#pragma once

#include "ramet/runtime/active_run.h"
#include "ramet/runtime/function_calls.h"

namespace ramet {

// A CallInvoker runs the steps that call functions: calls, If, Case and While. Bodies run on the
// calling thread, each as a run of its own plan.
class CallInvoker {
 public:
  explicit CallInvoker(ActiveRun& run) : run_(run) {}
  // Runs a CallStep.
  // \error kResourceExhausted: calls are nested too deeply.
  // \error kInvalidArgument: the value that chooses the function is invalid.
  // \error any error of the function.
  Status Invoke(const Step& step);

 private:
  // Returns which target a call runs: the one that its input 0 chooses.
  StatusOr<int> ChooseTarget(const Step& step, const FunctionCall& call);
  Status RunTarget(const Step& step, FunctionCall& call, int target);
  Status RunWhile(const Step& step, FunctionCall& call);
  // Makes a target ready to be called.
  StatusOr<FunctionInstance*> Prepare(FunctionCall& call, int target) const;
  RunContext ContextOf(const Step& step, const FunctionInstance& function) const;
  // Takes input i of the step as an argument of type `type`.
  Status TakeInput(const Step& step, int i, DType type, Value* to);

  ActiveRun& run_;
};

}  // namespace ramet
