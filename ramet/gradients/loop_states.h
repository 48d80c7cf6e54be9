#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/gradients/between_set.h"
#include "ramet/gradients/loop_state.h"

namespace ramet {

// Whether an operation is the Switch of a loop variable, as its context and its input say.
bool IsLoopSwitch(const Operation& op);

// The while loops that one call of Gradients goes through.
class LoopStates {
 public:
  // `between` gets the exits of those loops, too; it outlives this.
  LoopStates(Graph& graph, BetweenSet& between)
      : graph_(graph), between_(between), call_(CurrentContext(graph)) {}

  // Makes a state for each loop with an exit in the set.
  // \error kFailedPrecondition if nothing is known of such a loop: its graph was imported without
  // it.
  Status AddAll(bool colocate);
  bool any() const { return !loops_.empty(); }

  // The context that gradients of `op` are added in. `arriving`: the one that they are summed in
  // before, which for an exit is outside of its loop.
  ControlFlowContext* ContextFor(const Operation& op, bool arriving) const;

  // The exits that are never used and whose loops have no others that are. Uses must be counted;
  // what enters a loop counts as used.
  std::vector<Output> FirstUnusedExits(const std::unordered_set<NodeId>& ys);
  bool IsExit(const Operation& op) const;
  // An exit's uses are all differentiated. With the last exit of a loop all of them are given back:
  // those that have a gradient, and the others.
  struct Exits {
    std::vector<Output> used, unused;
  };
  Exits FinishExit(const Output& exit, const std::function<bool(NodeId)>& has_gradient);

  // What stands for the gradient of an exit that has none, in the context around.
  StatusOr<Output> ZerosForExit(const Output& exit);
  // What stands for the gradient of an output that has none, in the current context; none for the
  // Switch of a loop variable.
  StatusOr<Output> Zeros(const Output& output);

  // Gives zeros to the variables whose value does not depend on the one before.
  Status CloseVariables();

 private:
  struct Loop {
    std::shared_ptr<LoopState> state;
    // All exits are differentiated together, since they enter the one loop of gradients. `unused`:
    // no gradient arrives; `deferred`: their turn has come, they wait for the other ones.
    std::vector<Output> exits, unused, deferred;
    size_t pending = 0;  // exits whose turn has not come
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
