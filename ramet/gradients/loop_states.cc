#include "ramet/gradients/loop_states.h"

#include <algorithm>

#include "ramet/gradients/scopes.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/cond_context.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/scope.h"
#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

bool IsResource(const Output& x) { return BaseType(x.dtype()) == DType::kResource; }

// Makes zeros for the side of a cond's Switch that was not taken, alive only there.
Output ZerosOnOtherSide(const Output& output, const CondContext& cond) {
  Graph& graph = *output.graph();
  const Output other =
      AddOp(graph, "Switch", {output.op().input(0), cond.pred()}).output(1 - cond.branch());
  Scope here(graph);
  const Operation alive = AddOp(graph, "Identity", {other});
  if (!alive.valid()) return Output();
  Output shape;
  if (!IsResource(output)) shape = RuntimeShape(other);
  Scope after = here.ControlDependencies({alive});
  if (IsResource(output)) shape = AddOp(graph, "VariableShape", {other}).output(0);
  return FillWith(graph, shape, ContentType(output), 0, "zeros");
}

StatusOr<Output> ZerosOutsideOfLoops(const Output& output) {
  const Operation op = output.op();
  if (IsResource(output) && HandleType(output) == DType::kInvalid) return Output();
  if (!IsSwitch(op)) return ZerosLikeOutput(output, false);
  const auto* cond = dynamic_cast<const CondContext*>(ContextOf(op));
  return cond ? ZerosOnOtherSide(output, *cond) : ZerosLikeOutput(output, false);
}

}  // namespace

bool IsLoopSwitch(const Operation& op) {
  if (!IsSwitch(op)) return false;
  ControlFlowContext* const context = ContextOf(op);
  if (context == nullptr || context->while_context() != context) return false;
  const Operation merge = op.input(0).op();
  return IsMerge(merge) && IsLoopEnter(merge.input(0).op());
}

Status LoopStates::AddAll(bool colocate) {
  for (size_t i = 0; i < between_.order().size(); ++i) {
    const Operation op = graph_.operation(between_.order()[i]);
    if (!IsLoopExit(op)) continue;
    ColocationIf colocated(graph_, colocate, op);
    RAMET_RETURN_IF_ERROR(Add(op));
  }
  return graph_.status();
}

Status LoopStates::Add(const Operation& exit) {
  WhileContext* const forward = LoopAround(ContextOf(exit));
  if (forward == nullptr || !forward->pivot().valid()) {
    return FailedPrecondition(
        "gradients through the while loop that ends in '", exit.name(),
        "' need the loop's context, which a GraphDef does not contain: import the "
        "MetaGraphDef (its collection while_context), or cut the path with "
        "StopGradient");
  }
  if (loop_of_.contains(forward)) return OkStatus();
  std::shared_ptr<LoopState> outer;
  if (const Loop* around = LoopOf(forward->outer())) outer = around->state;
  Loop loop;
  loop.exits = forward->loop_exits();
  loop.pending = loop.exits.size();
  RAMET_ASSIGN_OR_RETURN(loop.state, LoopState::New(*forward, outer, call_));
  for (const Output& each : loop.exits) between_.Add(each.op().id());
  loop_of_[forward] = loops_.size();
  loops_.push_back(std::move(loop));
  return OkStatus();
}

const LoopStates::Loop* LoopStates::LoopOf(const ControlFlowContext* context) const {
  auto* loop = LoopAround(const_cast<ControlFlowContext*>(context));
  auto it = loop_of_.find(loop);
  return it == loop_of_.end() ? nullptr : &loops_[it->second];
}

LoopStates::Loop* LoopStates::LoopOf(const ControlFlowContext* context) {
  return const_cast<Loop*>(std::as_const(*this).LoopOf(context));
}

LoopState* LoopStates::StateOf(const ControlFlowContext* context) const {
  const Loop* loop = LoopOf(context);
  return loop ? loop->state.get() : nullptr;
}

ControlFlowContext* LoopStates::ContextFor(const Operation& op, bool arriving) const {
  if (!any()) return CurrentContext(graph_);
  LoopState* const state = StateOf(arriving ? OutputContextOf(op) : ContextOf(op));
  return state ? &state->gradient_context() : CurrentContext(graph_);
}

bool LoopStates::IsExit(const Operation& op) const {
  return IsLoopExit(op) && LoopOf(ContextOf(op)) != nullptr;
}

std::vector<Output> LoopStates::FirstUnusedExits(const std::unordered_set<NodeId>& ys) {
  std::vector<Output> all_unused;
  for (Loop& loop : loops_) {
    for (const Output& exit : loop.exits) {
      if (between_.pending(exit.op().id()) != 0) continue;
      --loop.pending;
      if (!ys.contains(exit.op().id())) loop.unused.push_back(exit);
      if (loop.pending > 0) continue;
      all_unused.insert(all_unused.end(), loop.unused.begin(), loop.unused.end());
    }
    for (const Output& enter : loop.state->forward_context()->loop_enters()) {
      const NodeId id = enter.op().id();
      if (between_.pending(id) == 0) between_.set_pending(id, 1);
    }
  }
  return all_unused;
}

LoopStates::Exits LoopStates::FinishExit(const Output& exit,
                                         const std::function<bool(NodeId)>& has_gradient) {
  Exits exits;
  Loop& loop = *LoopOf(ContextOf(exit.op()));
  loop.deferred.push_back(exit);
  if (--loop.pending > 0) return exits;
  for (const Output& each : loop.deferred) {
    (has_gradient(each.op().id()) ? exits.used : loop.unused).push_back(each);
  }
  exits.unused = loop.unused;
  return exits;
}

StatusOr<Output> LoopStates::ZerosForExit(const Output& exit) {
  ControlFlowContext* const around = ContextOf(exit.op())->outer();
  LoopState* const outer = StateOf(around);
  const DType dtype = BaseType(exit.dtype());
  if (exit.shape().IsFullyDefined() && !IsResource(exit)) {
    InContext inside(graph_, outer ? &outer->gradient_context() : CurrentContext(graph_));
    return FilledTensor(graph_, exit.shape(), dtype, 0, "zeros");
  }
  if (outer == nullptr) return ZerosLikeOutput(exit, false);
  Output shape;
  {
    InContext forward(graph_, around);
    shape = RuntimeShape(exit);
  }
  RAMET_RETURN_IF_ERROR(graph_.status());
  RAMET_ASSIGN_OR_RETURN(const Output stack, outer->Remember(shape));
  InContext inside(graph_, &outer->gradient_context());
  RAMET_ASSIGN_OR_RETURN(shape, outer->Recall(stack, shape));
  return FillWith(graph_, shape, ContentType(exit), 0, "zeros");
}

StatusOr<Output> LoopStates::Zeros(const Output& output) {
  if (IsLoopSwitch(output.op())) return Output();
  LoopState* const state = any() ? StateOf(ContextOf(output.op())) : nullptr;
  return state ? ZerosInLoop(*state, output) : ZerosOutsideOfLoops(output);
}

StatusOr<Output> LoopStates::ZerosInLoop(LoopState& state, const Output& output) {
  auto* const cond =
      IsSwitch(output.op()) ? dynamic_cast<CondContext*>(ContextOf(output.op())) : nullptr;
  if (output.shape().IsFullyDefined() && BaseType(output.dtype()) != DType::kVariant) {
    Output zeros;
    if (IsResource(output)) {
      zeros = FillWith(graph_, RuntimeShape(output), ContentType(output), 0, "zeros");
    } else {
      zeros = Constant(graph_, ZerosTensor(BaseType(output.dtype()), output.shape()));
    }
    RAMET_RETURN_IF_ERROR(graph_.status());
    if (cond == nullptr) return zeros;
    RAMET_ASSIGN_OR_RETURN(const Output pred, state.PastPredicate(cond->pred()));
    RAMET_ASSIGN_OR_RETURN(auto sides, AddSwitch(zeros, pred));
    return cond->branch() == 1 ? sides.first : sides.second;
  }
  Output shape;
  if (cond != nullptr) {
    RAMET_ASSIGN_OR_RETURN(shape, ShapeOnDeadSide(output, *cond));
  } else {
    InContext forward(graph_, ContextOf(output.op()));
    shape = RuntimeShape(output);
  }
  RAMET_RETURN_IF_ERROR(graph_.status());
  const bool dead = cond != nullptr;
  RAMET_ASSIGN_OR_RETURN(const Output stack, state.Remember(shape, dead));
  RAMET_ASSIGN_OR_RETURN(shape, state.Recall(stack, shape, dead));
  return FillWith(graph_, shape, ContentType(output), 0, "zeros");
}

StatusOr<Output> LoopStates::ShapeOnDeadSide(const Output& output, CondContext& cond) {
  InContext around(graph_, cond.outer());
  RAMET_ASSIGN_OR_RETURN(auto sides, AddSwitch(output.op().input(0), cond.pred()));
  const Output other = cond.branch() == 1 ? sides.first : sides.second;
  const Output shape = RuntimeShape(other);
  RAMET_RETURN_IF_ERROR(graph_.status());
  // LoopState::Recall needs the condition.
  SetContext(other.op(), &cond);
  SetContext(shape.op(), &cond);
  return shape;
}

Status LoopStates::CloseVariables() {
  for (const Loop& loop : loops_) {
    for (const LoopState::Variable& variable : loop.state->variables()) {
      RAMET_RETURN_IF_ERROR(CloseVariable(*loop.state, variable.merge));
    }
  }
  return graph_.status();
}

Status LoopStates::CloseVariable(LoopState& state, const Gradient& merge) {
  const Operation op = merge.values.op();
  // Otherwise LoopSwitchGradient has set the second input to the value that continues.
  if (op.input(0) != op.input(1)) return OkStatus();
  WhileContext& loop = state.gradient_context();
  const DType dtype = BaseType(op.input(0).dtype());
  Output zeros;
  if (op.input(0).shape().IsFullyDefined()) {
    InContext inside(graph_, &loop);
    zeros = Constant(graph_, ZerosTensor(dtype, op.input(0).shape()));
  } else {
    InContext outside(graph_, loop.outer() ? loop.outer() : CurrentContext(graph_));
    zeros = FillWith(graph_, RuntimeShape(op.input(0).op().input(0)), dtype, 0, "zeros");
  }
  RAMET_RETURN_IF_ERROR(graph_.status());
  for (const Output& part : {merge.indices, merge.dense_shape}) {
    if (!part.valid()) continue;
    Output same;
    {
      InContext outside(graph_, loop.outer() ? loop.outer() : CurrentContext(graph_));
      same = AddOp(graph_, "Identity", {part.op().input(0).op().input(0)}).output(0);
    }
    RAMET_RETURN_IF_ERROR(graph_.status());
    InContext inside(graph_, &loop);
    RAMET_RETURN_IF_ERROR(loop.AddBackEdge(part, same, false).status());
  }
  InContext inside(graph_, &loop);
  return loop.AddBackEdge(merge.values, zeros, false).status();
}

}  // namespace ramet
