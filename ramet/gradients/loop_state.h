#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph/control_flow_util.h"

namespace ramet {

// A LoopState is one while loop under differentiation: its forward loop, which counts its
// iterations and keeps on stacks the values that gradients ask for, and the loop of gradients,
// which runs as often and takes them off again. Owned by the context of the loop of gradients.
//
// A loop variable is Enter -> Merge -> Switch(LoopCond): one output of the Switch goes through the
// body and a NextIteration back to the Merge, the other one leaves by an Exit. What is the same in
// each iteration comes in by an Enter that is constant. An op with a dead input (of a branch that
// is not taken) does not run, and its outputs are dead; see op/control_flow.h.
class LoopState final : public LoopGradient {
 public:
  // Adds both counters and the loop of gradients. `outer`: the loop around, if it is under
  // differentiation too; `call`: the context in which gradients were asked for, or null.
  // \error what adding the nodes says.
  static StatusOr<std::shared_ptr<LoopState>> New(WhileContext& forward,
                                                  std::shared_ptr<LoopState> outer,
                                                  ControlFlowContext* call);

  WhileContext* forward_context() const override { return &forward_; }
  WhileContext& gradient_context() const { return *gradient_; }
  LoopState* outer() const { return outer_.get(); }
  StatusOr<Output> RealValue(const Output& value) override;

  // A stack that gets the value of a tensor of the forward loop in each iteration. `on_dead_side`:
  // the tensor is computed where its branch is *not* taken, although its context is that branch
  // (LoopStates::ShapeOnDeadSide); pushed and popped there.
  StatusOr<Output> Remember(const Output& value, bool on_dead_side = false);
  // Takes the value off the stack again, in the loop of gradients.
  StatusOr<Output> Recall(const Output& stack, const Output& value, bool on_dead_side = false);
  // What is known here to stand for `value`; invalid if nothing was asked for yet.
  Output Known(const Output& value) const;
  // The condition of a branch as it was.
  StatusOr<Output> PastPredicate(const Output& pred);

  // The gradient of a loop variable: `merge` is the Merge with which it begins in the loop of
  // gradients (one for each part of IndexedSlices). Found by the Switch of the forward variable.
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
  // The NextIterations of the counters, and what makes the ops on stacks keep their order.
  Operation forward_next_, gradient_next_, forward_sync_, gradient_sync_;
  std::unordered_map<Output, Output, OutputHash> past_;  // forward tensor -> what it was
  std::vector<Variable> variables_;
  std::unordered_map<NodeId, size_t> variable_of_;
};

// The loop under differentiation whose loop of gradients is being added to; null outside of one.
LoopState* CurrentLoopState(Graph& graph);

}  // namespace ramet
