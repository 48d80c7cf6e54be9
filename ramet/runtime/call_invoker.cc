#include "ramet/runtime/call_invoker.h"

#include <utility>

#include "ramet/base/stack_room.h"
#include "ramet/base/wall_clock.h"
#include "ramet/runtime/function_instance.h"
#include "ramet/runtime/plan_run.h"
#include "ramet/tensor/outside_values.h"

namespace ramet {
namespace {

template <class T>
bool IsNonZero(const Tensor& t) {
  return t.scalar<T>() != T(0);
}

// A scalar is true unless it is zero or empty; other tensors are true if they have elements.
StatusOr<bool> Truth(const Tensor& t) {
  if (t.rank() != 0) return t.num_elements() > 0;
  switch (t.dtype()) {
    case DType::kBool: return IsTrue(t);
    case DType::kFloat: return IsNonZero<float>(t);
    case DType::kDouble: return IsNonZero<double>(t);
    case DType::kInt8: return IsNonZero<int8_t>(t);
    case DType::kInt16: return IsNonZero<int16_t>(t);
    case DType::kInt32: return IsNonZero<int32_t>(t);
    case DType::kInt64: return IsNonZero<int64_t>(t);
    case DType::kUInt8: return IsNonZero<uint8_t>(t);
    case DType::kUInt16: return IsNonZero<uint16_t>(t);
    case DType::kString: return !t.data<std::string>()[0].empty();
    default:
      return InvalidArgument(t.dtype() == DType::kInvalid ? "a handle" : DTypeName(t.dtype()),
                             " cannot be a condition; pass a bool, number or string instead");
  }
}

}  // namespace

Status CallInvoker::Invoke(const Step& step) {
  FunctionCall& call = *run_.plan().callees.functions[std::get<CallStep>(step.work).function];
  const bool traced = run_.context().recorder != nullptr;
  const int64_t input_bytes = traced ? run_.InputBytes(step) : 0;
  const int64_t start = traced ? WallClockNanos() : 0;
  if (call.kind() == FunctionCallKind::kWhile) {
    RAMET_RETURN_IF_ERROR(RunWhile(step, call));
  } else {
    RAMET_ASSIGN_OR_RETURN(const int target, ChooseTarget(step, call));
    RAMET_RETURN_IF_ERROR(RunTarget(step, call, target));
  }
  if (traced) run_.Record(step, start, input_bytes);
  return OkStatus();
}

StatusOr<int> CallInvoker::ChooseTarget(const Step& step, const FunctionCall& call) {
  if (call.num_choosers() == 0) return 0;
  const Value& input = run_.input(step, 0);
  const Tensor chooser = run_.Read(input);
  if (chooser.empty()) {
    return input.variable ? input.variable->UninitializedError()
                          : InvalidArgument("input 0 has no value");
  }
  if (call.kind() == FunctionCallKind::kIf) {
    RAMET_ASSIGN_OR_RETURN(const bool truth, Truth(chooser));
    return truth ? 0 : 1;
  }
  if (chooser.num_elements() != 1) {
    return InvalidArgument("branch_index must be scalar, but it has shape ", chooser.shape());
  }
  const int32_t index = chooser.scalar<int32_t>();
  return index < 0 || index >= call.num_targets() ? call.num_targets() - 1 : index;
}

Status CallInvoker::RunTarget(const Step& step, FunctionCall& call, int target) {
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * function, Prepare(call, target));
  const std::vector<DType>& types = call.target(target).use().arg_types;
  const RunContext context = ContextOf(step, *function);
  PlanRun callee(function->executable(), context);
  for (size_t i = 0; i < callee.num_args(); ++i) {
    const int input = static_cast<int>(i) + call.num_choosers();
    if (Status status = TakeInput(step, input, types[i], &callee.arg(i)); !status.ok()) {
      callee.Clear();
      return status;
    }
  }
  return callee.RunBody(function->result_types(), run_.outputs(step));
}

// The outputs of the step hold the loop's variables.
Status CallInvoker::RunWhile(const Step& step, FunctionCall& call) {
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * cond, Prepare(call, 0));
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * body, Prepare(call, 1));
  const std::string& cond_name = call.target(0).use().ref.name;
  if (cond->result_types().size() != 1) {
    return InvalidArgument("function '", cond_name,
                           "': Expected a single scalar return value from WhileOp cond, got ",
                           cond->result_types().size(), " tensors.");
  }
  const std::vector<DType>& types = call.target(1).use().arg_types;
  const std::span<Value> variables = run_.outputs(step);
  for (size_t i = 0; i < variables.size(); ++i) {
    RAMET_RETURN_IF_ERROR(TakeInput(step, static_cast<int>(i), types[i], &variables[i]));
  }
  const RunContext cond_context = ContextOf(step, *cond), body_context = ContextOf(step, *body);
  PlanRun condition(cond->executable(), cond_context);
  PlanRun iteration(body->executable(), body_context);
  while (true) {
    if (run_.MustStop()) return run_.stop_status();
    for (size_t i = 0; i < variables.size(); ++i) condition.arg(i) = variables[i];
    Value answer;
    RAMET_RETURN_IF_ERROR(condition.RunBody(cond->result_types(), {&answer, 1}));
    const auto go_on = Truth(answer.tensor);
    if (!go_on.ok()) return go_on.status().WithContext(StrCat("function '", cond_name, "'"));
    if (!*go_on) return OkStatus();
    for (size_t i = 0; i < variables.size(); ++i) {
      iteration.arg(i) = std::exchange(variables[i], Value());
    }
    RAMET_RETURN_IF_ERROR(iteration.RunBody(body->result_types(), variables));
  }
}

StatusOr<FunctionInstance*> CallInvoker::Prepare(FunctionCall& call, int target) const {
  CallTarget& wanted = call.target(target);
  const int depth = run_.context().depth;
  if (depth >= kMaxCallDepth) {
    return ResourceExhausted("function '", wanted.use().ref.name, "' is called at depth ",
                             depth + 1, "; the limit is ", kMaxCallDepth,
                             "; does the function call itself forever?");
  }
  if (!StackHasRoom()) {
    return ResourceExhausted("function '", wanted.use().ref.name, "' is called at depth ",
                             depth + 1, ", and the stack of this thread has no room for more",
                             "; does the function call itself forever?");
  }
  return wanted.Get();
}

RunContext CallInvoker::ContextOf(const Step& step, const FunctionInstance& function) const {
  const RunContext& caller = run_.context();
  RunContext context{function.settings(), caller.state, caller.recorder, caller.depth + 1};
  if (caller.recorder != nullptr) {
    const GraphData& graph = *caller.settings.graph;
    ReaderLock lock(graph.mutex);
    context.callers = StrCat(caller.callers, graph.nodes[step.node].name, "/");
  }
  return context;
}

Status CallInvoker::TakeInput(const Step& step, int i, DType type, Value* to) {
  const Value& from = run_.input(step, i);
  if (from.variable == nullptr || type == DType::kResource) {
    run_.Pass(step, i, to);
    return OkStatus();
  }
  *to = {run_.Read(from), nullptr};
  return to->tensor.empty() ? from.variable->UninitializedError() : OkStatus();
}

}  // namespace ramet
