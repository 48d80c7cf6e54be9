#include "ramet/eager/eager_context.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "ramet/eager/eager_gradient.h"
#include "ramet/eager/tape.h"
#include "ramet/graph_def/function.h"
#include "ramet/runtime/session_environment.h"
#include "ramet/runtime/session_functions.h"

namespace ramet {
namespace {

// More specs of one op are dropped together, so that programs that change an attr in each step do
// not use more and more memory.
constexpr size_t kMaxFunctionsOfOp = 1024;

ExecutorSettings SettingsOf(const SessionEnvironment& environment) {
  ExecutorSettings settings = environment.settings();
  settings.devices = settings.devices.first(1);
  settings.envs = settings.envs.first(1);
  settings.inter_op_threads = 1;
  return settings;
}

struct Compiled {
  EagerOpSpec spec;
  std::shared_ptr<EagerFunction> function;
};

}  // namespace

struct EagerContext::Impl {
  Impl(const Graph& graph, std::unique_ptr<SessionEnvironment> made, const SessionOptions& options)
      : library(graph),
        environment(std::move(made)),
        functions(SessionFunctions::Install(graph, *environment, options)),
        settings(SettingsOf(*environment)),
        placer{.devices = {settings.devices[0]}, .allow_soft_placement = true},
        table(graph, settings, placer) {}
  ~Impl() { functions->ShutDown(); }

  StatusOr<std::shared_ptr<EagerFunction>> Compile(const EagerOpSpec& spec);
  // Keeps the variables that results may refer to.
  void KeepHandles(std::span<const EagerValue> args);

  const Graph& library;
  const std::unique_ptr<SessionEnvironment> environment;
  const std::shared_ptr<SessionFunctions> functions;
  const ExecutorSettings settings;
  const PlacerOptions placer;
  FunctionTable table;
  std::atomic<int64_t> generation = 0;
  Mutex mutex;
  std::map<std::string, std::vector<Compiled>, std::less<>> compiled RAMET_GUARDED_BY(mutex);
  std::map<std::string, std::shared_ptr<const EagerGradientFunction>> sums RAMET_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<VariableState>> kept RAMET_GUARDED_BY(mutex);
};

StatusOr<std::unique_ptr<EagerContext>> EagerContext::Make(const Graph& library,
                                                           const SessionOptions& options) {
  RAMET_ASSIGN_OR_RETURN(auto environment, SessionEnvironment::Make(library, options));
  auto impl = std::make_unique<Impl>(library, std::move(environment), options);
  return std::unique_ptr<EagerContext>(new EagerContext(std::move(impl)));
}

EagerContext::EagerContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

EagerContext::~EagerContext() = default;

int64_t EagerContext::generation() const {
  return impl_->generation.load(std::memory_order_relaxed);
}

std::vector<std::string> EagerContext::ListDevices() const {
  std::vector<std::string> names;
  for (const Device* device : impl_->environment->devices()) names.push_back(device->name());
  return names;
}

StatusOr<std::shared_ptr<EagerFunction>> EagerContext::FunctionFor(const EagerOpSpec& spec) {
  MutexLock lock(impl_->mutex);
  std::vector<Compiled>& of_op = impl_->compiled[spec.op];
  const auto found =
      std::ranges::find_if(of_op, [&](const Compiled& known) { return known.spec == spec; });
  if (found != of_op.end()) return found->function;
  RAMET_ASSIGN_OR_RETURN(std::shared_ptr<EagerFunction> function, impl_->Compile(spec));
  if (of_op.size() >= kMaxFunctionsOfOp) of_op.clear();
  of_op.push_back({spec, function});
  return function;
}

StatusOr<std::shared_ptr<EagerFunction>> EagerContext::Impl::Compile(const EagerOpSpec& spec) {
  EagerFunctionParts parts{NewFunctionGraph(library), {}, {}, {}};
  for (size_t i = 0; i < spec.input_types.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Operation arg,
                           parts.graph->AddNode({.op = "Placeholder",
                                                 .name = StrCat("arg", i),
                                                 .attrs = {{"dtype", spec.input_types[i]}}}));
    parts.args.push_back(arg.output(0));
  }
  RAMET_ASSIGN_OR_RETURN(Operation op, parts.graph->AddNode({.op = spec.op,
                                                             .name = spec.op,
                                                             .inputs = parts.args,
                                                             .device = spec.device,
                                                             .attrs = spec.attrs}));
  parts.returns = op.outputs();
  if (parts.returns.empty()) parts.controls = {op};
  RAMET_ASSIGN_OR_RETURN(auto function, EagerFunction::Make(std::move(parts), table));
  function->set_op(op);
  return function;
}

Status EagerContext::Execute(const std::shared_ptr<EagerFunction>& function,
                             std::span<const EagerValue> args, std::span<EagerValue> results) {
  if (function->keeps_handles()) impl_->KeepHandles(args);
  RAMET_RETURN_IF_ERROR(function->Run(args, results));
  Tape::RecordOnAll(function, args, results);
  return OkStatus();
}

void EagerContext::Impl::KeepHandles(std::span<const EagerValue> args) {
  for (const EagerValue& arg : args) {
    if (arg.owner == nullptr) continue;
    MutexLock lock(mutex);
    if (std::ranges::find(kept, arg.owner) == kept.end()) kept.push_back(arg.owner);
  }
}

StatusOr<EagerValue> EagerContext::Apply(const EagerOpSpec& spec,
                                         std::span<const EagerValue> args) {
  RAMET_ASSIGN_OR_RETURN(auto function, FunctionFor(spec));
  EagerValue result;
  RAMET_RETURN_IF_ERROR(Execute(function, args, {&result, 1}));
  return result;
}

StatusOr<EagerGradient> EagerContext::Sum(std::span<const EagerGradient> gradients) {
  if (gradients.size() == 1) return gradients[0];
  std::shared_ptr<const EagerGradientFunction> sum;
  {
    MutexLock lock(impl_->mutex);
    auto& known = impl_->sums[KindsOf(gradients)];
    if (known == nullptr) {
      RAMET_ASSIGN_OR_RETURN(known, SumFunction(impl_->library, impl_->table, gradients));
    }
    sum = known;
  }
  std::vector<EagerValue> args;
  for (const EagerGradient& gradient : gradients) AppendParts(gradient, &args);
  std::vector<EagerValue> results(sum->function->parts().returns.size());
  RAMET_RETURN_IF_ERROR(Execute(sum->function, args, results));
  return PickGradient(sum->gradients[0], results);
}

void EagerContext::Forget() {
  MutexLock lock(impl_->mutex);
  impl_->compiled.clear();
  ++impl_->generation;
}

const Operation& OperationOf(const EagerFunction& function) { return function.op(); }

int NumResultsOf(const EagerFunction& function) {
  return static_cast<int>(function.parts().returns.size());
}

}  // namespace ramet
