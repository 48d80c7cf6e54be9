#include "ramet/runtime/session_functions.h"

#include <unordered_set>

#include "ramet/base/run_interrupt.h"
#include "ramet/graph_def/function.h"
#include "ramet/runtime/function_instance.h"
#include "ramet/runtime/plan_run.h"

namespace ramet {
namespace {

Status Closed() { return Cancelled("the session of this function is closed"); }

// Takes the tensor of a result, which must not be the handle of a variable.
StatusOr<Tensor> TakeTensor(Value& result) {
  if (result.variable == nullptr) return result.tensor.Owned();
  return InvalidArgument("a function of a dataset cannot return the handle of a variable, here '",
                         result.variable->name(), "'; return its value");
}

// Adds the functions that the attrs of an operation name.
void AddFunctionsOf(const Operation& op, std::vector<FunctionRef>* functions) {
  const auto attrs = op.attrs();
  for (const auto& [name, attr] : *attrs) {
    if (const auto* one = attr.get<FunctionRef>()) functions->push_back(*one);
    if (const auto* many = attr.get<std::vector<FunctionRef>>()) {
      functions->insert(functions->end(), many->begin(), many->end());
    }
  }
}

// Adds the types of the stateful operations of a body to *types. For an operation that calls
// functions, adds these to *called instead.
void AddStatefulOps(const FunctionBody& body, std::vector<std::string>* types,
                    std::vector<FunctionRef>* called) {
  for (const std::vector<Operation>* some : {&body.effects, &body.controls}) {
    for (const Operation& op : *some) {
      const size_t before = called->size();
      AddFunctionsOf(op, called);
      if (called->size() == before) types->push_back(op.type());
    }
  }
}

}  // namespace

class SessionFunctions::Use {
 public:
  explicit Use(SessionFunctions& functions) : functions_(functions) {
    MutexLock lock(functions_.mutex_);
    granted_ = !functions_.shut_down_;
    if (granted_) ++functions_.uses_;
  }
  ~Use() {
    if (!granted_) return;
    MutexLock lock(functions_.mutex_);
    if (--functions_.uses_ == 0) functions_.unused_.NotifyAll();
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  bool granted() const { return granted_; }

 private:
  SessionFunctions& functions_;
  bool granted_ = false;
};

// One compiled function. The runner owns what it refers to.
class SessionFunction final : public LibraryFunction {
 public:
  SessionFunction(std::shared_ptr<SessionFunctions> owner, FunctionInstance* instance,
                  std::vector<DType> arg_types)
      : owner_(std::move(owner)),
        instance_(instance),
        settings_(instance->settings()),
        arg_types_(std::move(arg_types)) {}

  StatusOr<std::vector<Tensor>> Call(std::span<Tensor> args, std::span<const Value> captured,
                                     const CallContext& context) override {
    const SessionFunctions::Use use(*owner_);
    if (!use.granted()) return Closed();
    RAMET_RETURN_IF_ERROR(CheckArgs(args, captured));
    RunState state;
    state.cancellation = context.cancellation;
    state.followed = context.followed;
    const CancellationScope scope(context.cancellation);
    const RunContext run_context{settings_, state};
    PlanRun run(instance_->executable(), run_context);
    for (size_t i = 0; i < args.size(); ++i) run.arg(i).tensor = std::move(args[i]);
    for (size_t i = 0; i < captured.size(); ++i) run.arg(args.size() + i) = captured[i];
    std::vector<Value> results(instance_->result_types().size());
    RAMET_RETURN_IF_ERROR(run.RunBody(instance_->result_types(), results));
    std::vector<Tensor> tensors;
    tensors.reserve(results.size());
    for (Value& result : results) {
      RAMET_ASSIGN_OR_RETURN(Tensor tensor, TakeTensor(result));
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  std::vector<std::string> StatefulOps() const override {
    std::vector<std::string> types;
    std::vector<FunctionRef> called;
    const SessionFunctions::Use use(*owner_);
    if (!use.granted()) return types;
    const FunctionBody& body = instance_->body();
    AddStatefulOps(body, &types, &called);
    std::unordered_set<std::shared_ptr<const FunctionBody>> seen;
    for (size_t i = 0; i < called.size(); ++i) {
      auto inner = FindFunction(*body.graph, called[i]);
      if (inner.ok() && seen.insert(*inner).second) AddStatefulOps(**inner, &types, &called);
    }
    return types;
  }

 private:
  Status CheckArgs(std::span<const Tensor> args, std::span<const Value> captured) const {
    if (args.size() + captured.size() != arg_types_.size()) {
      return InvalidArgument("function '", instance_->name(), "' takes ", arg_types_.size(),
                             " arguments, but is called with ", args.size() + captured.size());
    }
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].dtype() == arg_types_[i]) continue;
      return InvalidArgument("function '", instance_->name(), "': Expects arg[", i, "] to be ",
                             DTypeName(arg_types_[i]), " but ", DTypeName(args[i].dtype()),
                             " is provided");
    }
    return OkStatus();
  }

  const std::shared_ptr<SessionFunctions> owner_;
  FunctionInstance* const instance_;
  const ExecutorSettings settings_;
  const std::vector<DType> arg_types_;
};

SessionFunctions::SessionFunctions(const Graph& graph, const ExecutorSettings& settings,
                                   Device* device, const SessionOptions& options)
    : settings_(settings),
      placer_{.devices = {device},
              .allow_soft_placement = true,
              .log_placement = options.log_device_placement} {
  settings_.devices = settings_.devices.first(1);
  settings_.envs = settings_.envs.first(1);
  settings_.inter_op_threads = 1;  // datasets have threads of their own
  table_ = std::make_unique<FunctionTable>(graph, settings_, placer_);
}

std::shared_ptr<SessionFunctions> SessionFunctions::Install(const Graph& graph,
                                                            SessionEnvironment& environment,
                                                            const SessionOptions& options) {
  std::shared_ptr<SessionFunctions> made(
      new SessionFunctions(graph, environment.settings(), environment.devices().front(), options));
  FunctionRunner::Install(made, environment.resources());
  return made;
}

StatusOr<std::shared_ptr<LibraryFunction>> SessionFunctions::Instantiate(
    const FunctionRef& function, std::vector<DType> args, ResultTypes results) {
  const Use use(*this);
  if (!use.granted()) return Closed();
  FunctionUse wanted;
  wanted.ref = function;
  wanted.all_effects = true;
  wanted.arg_types = args;
  wanted.any_results = !results.has_value();
  if (results) wanted.result_types = *std::move(results);
  RAMET_ASSIGN_OR_RETURN(FunctionInstance * instance, table_->Instantiate(wanted, nullptr));
  return std::shared_ptr<LibraryFunction>(
      std::make_shared<SessionFunction>(shared_from_this(), instance, std::move(args)));
}

void SessionFunctions::ShutDown() {
  closed_.Cancel();
  MutexLock lock(mutex_);
  shut_down_ = true;
  while (uses_ > 0) unused_.Wait(mutex_);
}

}  // namespace ramet
