#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph/cond_context.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/while_context.h"

namespace ramet {

// A LoopState is a while loop being differentiated. Its forward loop counts the iterations and
// pushes the values that gradients need on stacks. Its gradient loop runs equally often and pops
// them. Owned by the context of the gradient loop.
//
// A loop variable is Enter -> Merge -> Switch(LoopCond). One output of the Switch goes through the
// body and a NextIteration back to the Merge; the other one leaves through an Exit. Loop invariants
// come in through a constant Enter. An op with a dead input (from a branch that is not taken) does
// not run, and its outputs are dead; see op/control_flow.h.
class LoopState final : public LoopGradient {
 public:
  // Adds both counters and the gradient loop. `outer` is the enclosing loop if it is being
  // differentiated, too. `call` is the context in which gradients were requested, or null. Errors
  // are those of adding nodes.
  static StatusOr<std::shared_ptr<LoopState>> New(WhileContext& forward,
                                                  std::shared_ptr<LoopState> outer,
                                                  ControlFlowContext* call);

  WhileContext* forward_context() const override { return &forward_; }
  WhileContext& gradient_context() const { return *gradient_; }
  LoopState* outer() const { return outer_.get(); }
  StatusOr<Output> RealValue(const Output& value) override;

  // Adds a stack on which each iteration pushes the value of a tensor of the forward loop.
  // `on_dead_side` means that the tensor is computed where its branch is *not* taken, although its
  // context is that branch (LoopStates::ShapeOnDeadSide); it is pushed and popped there.
  StatusOr<Output> Remember(const Output& value, bool on_dead_side = false);
  // Pops the value from the stack in the gradient loop.
  StatusOr<Output> Recall(const Output& stack, const Output& value, bool on_dead_side = false);
  // Returns the tensor that stands for `value` in the gradient loop, or an invalid Output if none
  // was requested yet.
  Output Known(const Output& value) const;
  // Returns the past value of the condition of a branch.
  StatusOr<Output> PastPredicate(const Output& pred);

  // The gradient of a loop variable. `merge` is its Merge in the gradient loop (one per part for
  // IndexedSlices). The Switch of the forward variable is the key.
  struct Variable {
    Operation loop_switch;
    Gradient merge;
  };
  const std::vector<Variable>& variables() const { return variables_; }
  const Gradient* VariableOf(const Operation& loop_switch) const;
  void AddVariable(const Operation& loop_switch, const Gradient& merge);

 private:
  LoopState(WhileContext& forward, std::shared_ptr<LoopState> outer, ControlFlowContext* call)
      : graph_(forward.graph()), forward_(forward), outer_(std::move(outer)), call_(call) {}
  StatusOr<Output> CountForward();
  Status CountBackward(const Output& count);
  StatusOr<Output> Ask(const Output& value);
  StatusOr<Output> Push(const Output& handle, const Output& value, bool on_dead_side);
  StatusOr<Output> Guarded(const Output& stack, const CondContext& cond, bool on_dead_side);
  StatusOr<Operation> ForwardSync();
  StatusOr<Operation> GradientSync();

  Graph& graph_;
  WhileContext& forward_;
  const std::shared_ptr<LoopState> outer_;
  ControlFlowContext* const call_;
  WhileContext* gradient_ = nullptr;
  // The NextIterations of the counters, and the operations that keep the stack ops in order.
  Operation forward_next_, gradient_next_, forward_sync_, gradient_sync_;
  std::unordered_map<Output, Output, OutputHash> past_;  // forward tensor -> its past value
  std::vector<Variable> variables_;
  std::unordered_map<NodeId, size_t> variable_of_;
};

// Returns the loop being differentiated to whose gradient loop nodes are being added; null if there
// is none.
LoopState* CurrentLoopState(Graph& graph);

}  // namespace ramet
