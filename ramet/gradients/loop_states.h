#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/gradients/between_set.h"
#include "ramet/gradients/loop_state.h"
#include "ramet/graph/cond_context.h"

namespace ramet {

// Reports whether an operation is the Switch of a loop variable, judging by its context and input.
bool IsLoopSwitch(const Operation& op);

// The while loops that one call of Gradients differentiates.
class LoopStates {
 public:
  // The exits of the loops are added to `between`, which must outlive this object.
  LoopStates(Graph& graph, BetweenSet& between)
      : graph_(graph), between_(between), call_(CurrentContext(graph)) {}

  // Makes a state for each loop with an exit in the set.
  // \error kFailedPrecondition: the context of such a loop is unknown because its graph was
  //   imported without it.
  Status AddAll(bool colocate);
  bool any() const { return !loops_.empty(); }

  // Returns the context in which the gradients of `op` are added. If `arriving`, returns the
  // context in which they are summed first, which for an exit is outside of its loop.
  ControlFlowContext* ContextFor(const Operation& op, bool arriving) const;

  // Returns the exits of loops without used exits, except those in `ys`. Call BetweenSet::CountUses
  // first. Also marks the Enters of all loops as used.
  std::vector<Output> FirstUnusedExits(const std::unordered_set<NodeId>& ys);
  bool IsExit(const Operation& op) const;
  // Notes that all uses of an exit are differentiated. With the last exit of a loop, returns all of
  // them: those that have a gradient, and the others.
  struct Exits {
    std::vector<Output> used, unused;
  };
  Exits FinishExit(const Output& exit, const std::function<bool(NodeId)>& has_gradient);

  // Returns the gradient of an exit that has none, in the enclosing context.
  StatusOr<Output> ZerosForExit(const Output& exit);
  // Returns the gradient of an output that has none, in the current context. There is none for the
  // Switch of a loop variable.
  StatusOr<Output> Zeros(const Output& output);

  // Gives zeros to variables whose value does not depend on the previous iteration.
  Status CloseVariables();

 private:
  struct Loop {
    std::shared_ptr<LoopState> state;
    // All exits are differentiated together, since they enter the same gradient loop. `unused`
    // exits get no gradient; `deferred` exits are ready and wait for the others.
    std::vector<Output> exits, unused, deferred;
    size_t pending = 0;  // exits that are not ready
  };
  Status Add(const Operation& exit);
  const Loop* LoopOf(const ControlFlowContext* context) const;
  Loop* LoopOf(const ControlFlowContext* context);
  LoopState* StateOf(const ControlFlowContext* context) const;
  StatusOr<Output> ZerosInLoop(LoopState& state, const Output& output);
  StatusOr<Output> ShapeOnDeadSide(const Output& output, CondContext& cond);
  Status CloseVariable(LoopState& state, const Gradient& merge);

  Graph& graph_;
  BetweenSet& between_;
  ControlFlowContext* const call_;
  std::vector<Loop> loops_;
  std::unordered_map<const WhileContext*, size_t> loop_of_;
};

}  // namespace ramet
