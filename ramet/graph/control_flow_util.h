#pragma once

#include <utility>
#include <vector>

#include "ramet/graph/build_state.h"
#include "ramet/graph/control_flow_context.h"
#include "ramet/op/control_flow.h"

namespace ramet {

inline bool IsSwitch(const Operation& op) { return ControlFlowOf(op.op()) == ControlFlow::kSwitch; }
inline bool IsMerge(const Operation& op) { return ControlFlowOf(op.op()) == ControlFlow::kMerge; }
inline bool IsLoopExit(const Operation& op) { return ControlFlowOf(op.op()) == ControlFlow::kExit; }
inline bool IsLoopEnter(const Operation& op) {
  return ControlFlowOf(op.op()) == ControlFlow::kEnter;
}
inline bool IsLoopConstantEnter(const Operation& op) {
  return IsLoopEnter(op) && op.attrs()->GetOr<bool>("is_constant", false);
}
// Reports whether a node calls a function of the library.
bool CallsFunction(const NodeSpec& node);

// The innermost loop around a context; null if there is none.
WhileContext* LoopAround(ControlFlowContext* context);

// Makes `context` (null for none) the graph's current context during its lifetime.
class InContext {
 public:
  InContext(Graph& graph, ControlFlowContext* context)
      : state_(graph.build_state()), before_(std::exchange(state_.control_flow.current, context)) {}
  ~InContext() { state_.control_flow.current = before_; }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  BuildState& state_;
  ControlFlowContext* const before_;
};

// Clears control dependencies during its lifetime (control_dependencies(None)), which also leaves
// every branch and loop.
class WithoutControls {
 public:
  explicit WithoutControls(Graph& graph) : state_(graph.build_state()) {
    state_.PushControls({.clears = true});
  }
  ~WithoutControls() { state_.PopControls(); }
  WithoutControls(const WithoutControls&) = delete;
  WithoutControls& operator=(const WithoutControls&) = delete;

 private:
  BuildState& state_;
};

}  // namespace ramet
