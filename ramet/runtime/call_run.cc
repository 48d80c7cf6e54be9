#include <pthread.h>

#include <utility>

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
                             " cannot be converted to a bool, which is what says how to go on");
  }
}

// What a kernel may need of the stack.
constexpr size_t kStackReserve = 256 << 10;

// Below it, the stack of this thread has no room for another call; null if nobody knows.
const char* StackLimit() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* lowest = nullptr;
  size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return failed ? nullptr : static_cast<const char*>(lowest) + kStackReserve;
}

bool StackHasRoom() {
  thread_local const char* const limit = StackLimit();
  return static_cast<const char*>(__builtin_frame_address(0)) > limit;
}

}  // namespace

Status PlanRun::RunCall(const Step& step) {
  FunctionCall& call = *plan_.calls[step.call];
  const int64_t start = control_.recorder ? StepRecorder::Now() : 0;
  if (call.kind() == FunctionCallKind::kWhile) {
    RAMET_RETURN_IF_ERROR(RunWhile(step, call));
  } else {
    RAMET_ASSIGN_OR_RETURN(const int target, ChooseTarget(step, call));
    RAMET_RETURN_IF_ERROR(RunTarget(step, call, target));
  }
  if (control_.recorder) Record(step, start);
  return OkStatus();
}

StatusOr<int> PlanRun::ChooseTarget(const Step& step, const FunctionCall& call) {
  if (call.num_choosers() == 0) return 0;
  const Value& value = InputOf(step, 0);
  const Tensor chooser = value.variable ? value.variable->Read(state_.followed) : value.tensor;
  if (chooser.empty()) {
    return value.variable ? value.variable->UninitializedError()
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

Status PlanRun::RunTarget(const Step& step, FunctionCall& call, int target) {
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * function, Ready(call, target));
  const std::vector<DType>& types = call.target(target).use().arg_types;
  const RunControl control = ControlFor(step);
  PlanRun callee(function->plan(), function->settings(), control, state_);
  for (size_t i = 0; i < callee.num_args(); ++i) {
    const int input = static_cast<int>(i) + call.num_choosers();
    if (Status status = TakeInput(step, input, types[i], &callee.arg(i)); !status.ok()) {
      callee.ClearAll();
      return status;
    }
  }
  return callee.RunBody(function->result_types(), OutputsOf(step));
}

// The outputs of the node hold what goes around.
Status PlanRun::RunWhile(const Step& step, FunctionCall& call) {
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * cond, Ready(call, 0));
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * body, Ready(call, 1));
  if (cond->result_types().size() != 1) {
    return InvalidArgument("function '", call.target(0).use().ref.name,
                           "': Expected a single scalar return value from WhileOp cond, got ",
                           cond->result_types().size(), " tensors.");
  }
  const std::vector<DType>& types = call.target(1).use().arg_types;
  const std::span<Value> loop = OutputsOf(step);
  for (size_t i = 0; i < loop.size(); ++i) {
    RAMET_RETURN_IF_ERROR(TakeInput(step, static_cast<int>(i), types[i], &loop[i]));
  }
  const RunControl control = ControlFor(step);
  PlanRun question(cond->plan(), cond->settings(), control, state_);
  PlanRun iteration(body->plan(), body->settings(), control, state_);
  while (true) {
    if (Due()) return control_.cancellation->status();
    for (size_t i = 0; i < loop.size(); ++i) question.arg(i) = loop[i];
    Value answer;
    RAMET_RETURN_IF_ERROR(question.RunBody(cond->result_types(), {&answer, 1}));
    const auto go_on = Truth(answer.tensor);
    if (!go_on.ok()) {
      return go_on.status().WithContext(StrCat("function '", call.target(0).use().ref.name, "'"));
    }
    if (!*go_on) return OkStatus();
    for (size_t i = 0; i < loop.size(); ++i) iteration.arg(i) = std::exchange(loop[i], Value());
    RAMET_RETURN_IF_ERROR(iteration.RunBody(body->result_types(), loop));
  }
}

StatusOr<FunctionInstance*> PlanRun::Ready(FunctionCall& call, int target) const {
  CallTarget& wanted = call.target(target);
  if (control_.depth >= kMaxCallDepth) {
    return ResourceExhausted("function '", wanted.use().ref.name, "' is called at depth ",
                             control_.depth + 1, " of calls, and ", kMaxCallDepth,
                             " is the most: does a recursion not end?");
  }
  if (!StackHasRoom()) {
    return ResourceExhausted("function '", wanted.use().ref.name, "' is called at depth ",
                             control_.depth + 1, " of calls, and the stack of this thread has no ",
                             "room for more: does a recursion not end?");
  }
  return wanted.Get();
}

RunControl PlanRun::ControlFor(const Step& step) const {
  RunControl control{control_.cancellation, control_.recorder, control_.followed,
                     control_.depth + 1};
  if (control.recorder != nullptr) {
    std::shared_lock lock(settings_.graph->mutex);
    control.callers = StrCat(control_.callers, settings_.graph->nodes[step.node].name, "/");
  }
  return control;
}

Status PlanRun::TakeInput(const Step& step, int i, DType type, Value* to) {
  Value& from = InputOf(step, i);
  if (from.variable != nullptr && type != DType::kResource) {
    to->tensor = from.variable->Read(state_.followed);
    to->variable = nullptr;
    return to->tensor.empty() ? from.variable->UninitializedError() : OkStatus();
  }
  if (i < 64 && ((step.forwardable >> i) & 1)) {
    *to = std::exchange(from, Value());
  } else {
    *to = from;
  }
  return OkStatus();
}

Status PlanRun::RunBody(std::span<const DType> types, std::span<Value> results) {
  status_ = OkStatus();
  failed_ = false;
  RunAll();
  if (status_.ok()) status_ = TakeResults(types, results);
  if (!status_.ok()) {
    ClearAll();
    return status_;
  }
  for (int32_t slot : plan_.feed_slots) frame_->values[slot] = Value();
  return OkStatus();
}

Status PlanRun::TakeResults(std::span<const DType> types, std::span<Value> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const int32_t slot = plan_.fetch_slots[i];
    const Value& value = frame_->values[slot];
    results[i] = value;
    if (value.variable != nullptr && types[i] != DType::kResource) {
      results[i] = {value.variable->Read(state_.followed), nullptr};
      if (results[i].tensor.empty()) return value.variable->UninitializedError();
    }
    const bool dead = plan_.has_control_flow && frame_->dead[slot];
    if (dead || (results[i].tensor.empty() && results[i].variable == nullptr)) {
      return InvalidArgument("Retval[", i, "] does not have value");
    }
  }
  for (int32_t slot : plan_.fetch_slots) {
    if (slot >= 0 && !IsPreset(slot)) frame_->values[slot] = Value();
  }
  return OkStatus();
}

}  // namespace ramet
