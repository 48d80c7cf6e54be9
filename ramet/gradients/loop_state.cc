#include "ramet/gradients/loop_state.h"

#include "ramet/graph/cond_context.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/scope.h"
#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

StatusOr<Output> AddTensor(Graph& graph, std::string_view op, const std::vector<Input>& inputs,
                           AttrMap attrs = {}, std::string_view name = "") {
  RAMET_ASSIGN_OR_RETURN(Operation added, TryAddOp(graph, op, inputs, std::move(attrs), name));
  return added.output(0);
}

StatusOr<Output> AddConst(Graph& graph, const Tensor& value, std::string_view name) {
  return AddTensor(graph, "Const", {}, {{"value", value}, {"dtype", value.dtype()}}, name);
}

// Returns the constant Enter that passes `value` into its loop unchanged, looking through the ops
// of branches and copies.
Operation ConstantEnterOf(const Output& value) {
  Operation op = value.op();
  while (IsSwitch(op) || op.type() == "Identity" || op.type() == "RefIdentity") {
    op = op.input(0).op();
  }
  return IsLoopConstantEnter(op) ? op : Operation();
}

// A loop variable up to its Switch, to be closed by WhileContext::AddBackEdge.
struct Counter {
  Output merge;
  Operation loop_switch;
};

StatusOr<Counter> EnterCounter(WhileContext& loop, const Output& start, const char* name) {
  loop.AddName(start);
  RAMET_ASSIGN_OR_RETURN(Output enter, loop.AddEnter(start, false, true, name));
  loop.loop_enters().push_back(enter);
  Counter counter;
  RAMET_ASSIGN_OR_RETURN(counter.merge, AddTensor(loop.graph(), "Merge", {enter, enter}));
  return counter;
}

StatusOr<Output> ExitCounter(WhileContext& loop, const Counter& counter, const char* name) {
  RAMET_ASSIGN_OR_RETURN(
      Output exit, AddTensor(loop.graph(), "Exit", {counter.loop_switch.output(0)}, {}, name));
  loop.loop_exits().push_back(exit);
  loop.ExitResult({exit});
  return exit;
}

}  // namespace

StatusOr<std::shared_ptr<LoopState>> LoopState::New(WhileContext& forward,
                                                    std::shared_ptr<LoopState> outer,
                                                    ControlFlowContext* call) {
  std::shared_ptr<LoopState> state(new LoopState(forward, outer, call));
  Graph& graph = forward.graph();
  // Gradients that are requested in a branch, for a loop outside of it, belong to that branch.
  ControlFlowContext* forward_outer = outer ? &outer->forward_ : forward.outer();
  if (forward_outer == nullptr) forward_outer = call;
  Output count;
  {
    InContext around(graph, forward_outer);
    RAMET_ASSIGN_OR_RETURN(count, state->CountForward());
  }
  Output stack;
  if (outer != nullptr) {
    forward_outer->AddName(count);
    RAMET_ASSIGN_OR_RETURN(stack, outer->Remember(count));
  }
  InContext around(graph, outer ? outer->gradient_ : forward_outer);
  state->gradient_ = &WhileContext::New(graph, forward.options(), forward.name(), state);
  if (outer != nullptr) {
    RAMET_ASSIGN_OR_RETURN(count, outer->Recall(stack, count));
  }
  RAMET_RETURN_IF_ERROR(state->CountBackward(count));
  return state;
}

// Counts the iterations of the forward loop.
StatusOr<Output> LoopState::CountForward() {
  RAMET_ASSIGN_OR_RETURN(Output zero, AddConst(graph_, Tensor(int32_t{0}), "f_count"));
  if (outer_ != nullptr) {
    // The count restarts in each iteration of the outer loop, so it waits for that loop's count to
    // step.
    const Operation step = outer_->forward_next_.input(0).op();
    RAMET_RETURN_IF_ERROR(graph_.AddControlInput(zero.op(), step));
  }
  InContext inside(graph_, &forward_);
  RAMET_ASSIGN_OR_RETURN(Counter counter, EnterCounter(forward_, zero, "f_count"));
  RAMET_ASSIGN_OR_RETURN(counter.loop_switch,
                         TryAddOp(graph_, "Switch", {counter.merge, forward_.pivot()}));
  RAMET_ASSIGN_OR_RETURN(Output step,
                         AddTensor(graph_, "AddV2", {counter.loop_switch.output(1), 1}, {}, "Add"));
  RAMET_ASSIGN_OR_RETURN(Output next, forward_.AddBackEdge(counter.merge, step, false));
  forward_next_ = next.op();
  return ExitCounter(forward_, counter, "f_count");
}

// Makes the gradient loop run while `count`, decremented in each iteration, is positive.
Status LoopState::CountBackward(const Output& count) {
  RAMET_ASSIGN_OR_RETURN(Output one, AddConst(graph_, Tensor(int32_t{1}), "b_count"));
  InContext inside(graph_, gradient_);
  RAMET_ASSIGN_OR_RETURN(Counter counter, EnterCounter(*gradient_, count, "b_count"));
  gradient_->set_pivots({}, counter.merge, {});
  RAMET_ASSIGN_OR_RETURN(Output more, AddTensor(graph_, "GreaterEqual", {counter.merge, one}));
  RAMET_ASSIGN_OR_RETURN(Output pivot, AddTensor(graph_, "LoopCond", {more}, {}, "b_count"));
  gradient_->set_pivots(pivot, counter.merge, {});
  RAMET_ASSIGN_OR_RETURN(counter.loop_switch, TryAddOp(graph_, "Switch", {counter.merge, pivot}));
  RAMET_ASSIGN_OR_RETURN(Output step,
                         AddTensor(graph_, "Sub", {counter.loop_switch.output(1), one}));
  gradient_->set_pivots(pivot, counter.merge, step);
  RAMET_ASSIGN_OR_RETURN(Output next, gradient_->AddBackEdge(counter.merge, step, false));
  gradient_next_ = next.op();
  RAMET_ASSIGN_OR_RETURN(Output exit, ExitCounter(*gradient_, counter, "b_count"));
  if (outer_ == nullptr) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(Operation sync, outer_->GradientSync());
  return graph_.AddControlInput(sync, exit.op());
}

// A ControlTrigger runs even if its inputs are dead, like a push in a branch that is not taken. A
// NextIteration that waited for the push itself would then be dead.
StatusOr<Operation> LoopState::ForwardSync() {
  if (forward_sync_.valid()) return forward_sync_;
  WithoutControls outside(graph_);
  RAMET_ASSIGN_OR_RETURN(forward_sync_, TryAddOp(graph_, "ControlTrigger", {}, {}, "f_sync"));
  SetContext(forward_sync_, &forward_);
  RAMET_RETURN_IF_ERROR(graph_.AddControlInput(forward_next_, forward_sync_));
  return forward_sync_;
}

StatusOr<Operation> LoopState::GradientSync() {
  if (gradient_sync_.valid()) return gradient_sync_;
  WithoutControls outside(graph_);
  RAMET_ASSIGN_OR_RETURN(gradient_sync_, TryAddOp(graph_, "ControlTrigger", {}, {}, "b_sync"));
  SetContext(gradient_sync_, gradient_);
  RAMET_RETURN_IF_ERROR(graph_.AddControlInput(gradient_next_, gradient_sync_));
  return gradient_sync_;
}

StatusOr<Output> LoopState::Remember(const Output& value, bool on_dead_side) {
  WithoutControls outside(graph_);
  Output stack;
  {
    InContext call(graph_, call_);
    Scope here(graph_);
    Scope colocated = here.ColocateWith(value.op());
    RAMET_ASSIGN_OR_RETURN(Output no_limit, AddConst(graph_, Tensor(int32_t{-1}), "Const"));
    RAMET_ASSIGN_OR_RETURN(stack, AddTensor(graph_, "StackV2", {no_limit},
                                            {{"elem_type", BaseType(value.dtype())}}, "f_acc"));
  }
  RAMET_ASSIGN_OR_RETURN(const Output handle, forward_.AddValue(stack));
  RAMET_ASSIGN_OR_RETURN(const Output push, Push(handle, value, on_dead_side));
  RAMET_RETURN_IF_ERROR(graph_.AddControlInput(push.op(), forward_next_.input(0).op()));
  return stack;
}

// Pushes where the value is alive. The next iteration waits for the push.
StatusOr<Output> LoopState::Push(const Output& handle, const Output& value, bool on_dead_side) {
  ControlFlowContext* const from = OutputContextOf(value.op());
  ControlFlowContext* where = from;
  if (from != &forward_) {
    if (dynamic_cast<CondContext*>(from) == nullptr) {
      return InvalidArgument("the gradient needs ", value.name(),
                             ", which is not a value of "
                             "the loop '",
                             forward_.name(), "'");
    }
    if (on_dead_side) where = from->outer();
  }
  Output push;
  {
    InContext alive(graph_, where);
    RAMET_ASSIGN_OR_RETURN(push, AddTensor(graph_, "StackPushV2", {handle, value},
                                           {{"swap_memory", forward_.options().swap_memory}}));
  }
  if (from == &forward_) {
    RAMET_RETURN_IF_ERROR(graph_.AddControlInput(forward_next_, push.op()));
    return push;
  }
  SetContext(push.op(), from);
  RAMET_ASSIGN_OR_RETURN(Operation sync, ForwardSync());
  RAMET_RETURN_IF_ERROR(graph_.AddControlInput(sync, push.op()));
  return push;
}

// Returns the handle, alive only in iterations that took the branch of `cond`. In the others
// nothing was pushed, and nothing may be popped. The condition may belong to an outer loop, whose
// state knows its past value.
StatusOr<Output> LoopState::Guarded(const Output& stack, const CondContext& cond,
                                    bool on_dead_side) {
  Output pred;
  for (LoopState* state = this; state != nullptr && !pred.valid(); state = state->outer()) {
    pred = state->Known(cond.pred());
  }
  if (!pred.valid()) pred = cond.pred();
  RAMET_ASSIGN_OR_RETURN(auto sides, AddSwitch(stack, pred));
  return (cond.branch() == 1) != on_dead_side ? sides.second : sides.first;
}

StatusOr<Output> LoopState::Recall(const Output& stack, const Output& value, bool on_dead_side) {
  ControlFlowContext* const made_in = ContextOf(stack.op());
  ControlFlowContext* from = ContextOf(value.op());
  while (from != nullptr && from != made_in && dynamic_cast<CondContext*>(from) == nullptr) {
    from = from->outer();
  }
  WithoutControls outside(graph_);
  InContext inside(graph_, gradient_);
  Output handle = stack;
  if (from != nullptr && from != made_in) {
    RAMET_ASSIGN_OR_RETURN(handle, Guarded(stack, static_cast<CondContext&>(*from), on_dead_side));
  }
  RAMET_ASSIGN_OR_RETURN(Output past, AddTensor(graph_, "StackPopV2", {handle},
                                                {{"elem_type", BaseType(value.dtype())}}));
  RAMET_RETURN_IF_ERROR(graph_.SetShape(past, value.shape()));
  if (gradient_->options().parallel_iterations > 1) {  // a single iteration is always in order
    RAMET_ASSIGN_OR_RETURN(Operation sync, GradientSync());
    RAMET_RETURN_IF_ERROR(graph_.AddControlInput(sync, past.op()));
  }
  return past;
}

Output LoopState::Known(const Output& value) const {
  auto it = past_.find(value);
  return it == past_.end() ? Output() : it->second;
}

StatusOr<Output> LoopState::RealValue(const Output& value) {
  if (Output known = Known(value); known.valid()) return known;
  RAMET_ASSIGN_OR_RETURN(const Output past, Ask(value));
  past_[value] = past;
  return past;
}

// Loop invariants are requested from the outer loop. Invariants of all loops need no stack.
StatusOr<Output> LoopState::Ask(const Output& value) {
  Output asked = value;
  LoopState* state = this;
  while (true) {
    const Operation enter = ConstantEnterOf(asked);
    if (!enter.valid()) break;
    asked = enter.input(0);
    state = state->outer();
    if (state == nullptr) return gradient_->AddValue(asked);
  }
  if (asked.op().type() == "Const") {
    return AddConst(graph_, ConstantValue(asked), "Const");
  }
  RAMET_ASSIGN_OR_RETURN(const Output stack, state->Remember(asked));
  RAMET_ASSIGN_OR_RETURN(const Output past, state->Recall(stack, asked));
  return state == this ? past : gradient_->AddValue(past);
}

StatusOr<Output> LoopState::PastPredicate(const Output& pred) {
  if (Output known = Known(pred); known.valid()) return known;
  RAMET_ASSIGN_OR_RETURN(const Output stack, Remember(pred));
  RAMET_ASSIGN_OR_RETURN(const Output past, Recall(stack, pred));
  past_[pred] = past;
  return past;
}

const Gradient* LoopState::VariableOf(const Operation& loop_switch) const {
  auto it = variable_of_.find(loop_switch.id());
  return it == variable_of_.end() ? nullptr : &variables_[it->second].merge;
}

void LoopState::AddVariable(const Operation& loop_switch, const Gradient& merge) {
  variable_of_[loop_switch.id()] = variables_.size();
  variables_.push_back({loop_switch, merge});
}

LoopState* CurrentLoopState(Graph& graph) {
  ControlFlowContext* const current = CurrentContext(graph);
  WhileContext* const loop = LoopAround(current);
  return loop ? dynamic_cast<LoopState*>(loop->gradient()) : nullptr;
}

}  // namespace ramet
