#include "ramet/runtime/session_impl.h"

#include <optional>

#include "ramet/base/exception.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/runtime/plan_run.h"
#include "ramet/runtime/run_description.h"

namespace ramet {
namespace {

// Returns the status of a run: one that has exceeded its time limit says so even if it finished.
Status Outcome(const Status& status, const Cancellation& cancellation) {
  if (cancellation.late() || (status.ok() && cancellation.cancelled())) {
    return cancellation.status();
  }
  return status;
}

// Returns the token that cancels a run: that of its options, or that of the interruptible call that
// the thread is in.
CancellationToken* TokenOf(const RunOptions& options) {
  if (options.cancellation != nullptr) return options.cancellation.get();
  RunInterrupt* const interrupt = RunInterrupt::Current();
  return interrupt != nullptr ? &interrupt->token() : nullptr;
}

// A host function may run a session, whose host functions may do so again. Each level uses stack.
constexpr int kMaxRunDepth = 32;

// Counts the runs that the calling thread is in.
class RunDepth {
 public:
  RunDepth() { ++runs_of_thread; }
  ~RunDepth() { --runs_of_thread; }
  RunDepth(const RunDepth&) = delete;
  RunDepth& operator=(const RunDepth&) = delete;
  int runs() const { return runs_of_thread; }

 private:
  static thread_local int runs_of_thread;
};
thread_local int RunDepth::runs_of_thread = 0;

Status CopyBorrowed(std::span<Tensor> values) {
  for (Tensor& value : values) {
    RAMET_ASSIGN_OR_RETURN(value, value.Owned());
  }
  return OkStatus();
}

// Runs an executable on the calling thread.
Status RunOnce(Executable& executable, const RunContext& context, std::span<const Tensor> feeds,
               std::span<Tensor> fetched) {
  const CancellationScope scope(context.state.cancellation);
  return PlanRun(executable, context).Run(feeds, fetched);
}

}  // namespace

SessionImpl::SessionImpl(Graph& graph, const SessionOptions& options,
                         std::unique_ptr<SessionEnvironment> environment)
    : graph_(graph),
      options_(options),
      environment_(std::move(environment)),
      functions_(SessionFunctions::Install(graph, *environment_, options)),
      executables_(graph, *environment_, options) {}

StatusOr<std::shared_ptr<SessionImpl>> SessionImpl::Create(Graph& graph,
                                                           const SessionOptions& options) {
  RAMET_RETURN_IF_ERROR(graph.status());
  RAMET_ASSIGN_OR_RETURN(auto environment, SessionEnvironment::Make(graph, options));
  return std::shared_ptr<SessionImpl>(new SessionImpl(graph, options, std::move(environment)));
}

SessionImpl::~SessionImpl() { functions_->ShutDown(); }

void SessionImpl::Close() {
  closed_.Cancel();
  functions_->closed().Cancel();
}

StatusOr<std::shared_ptr<Executable>> SessionImpl::ExecutableFor(const PlanRequest& request) {
  if (closed_.cancelled()) return FailedPrecondition("Attempted to use a closed Session.");
  return executables_.Get(request);
}

bool SessionImpl::IsCurrent(const Executable& executable) const {
  return !closed_.cancelled() && executable.plan().origin.edit_version == graph_.edit_version();
}

Status SessionImpl::Run(Executable& executable, std::span<const Tensor> feeds,
                        std::span<Tensor> fetched, const RunOptions& options,
                        RunMetadata* metadata) {
  const RunDepth depth;
  if (depth.runs() > kMaxRunDepth) {
    return ResourceExhausted("this run is nested in ", kMaxRunDepth,
                             " other runs of its thread; the limit is ", kMaxRunDepth,
                             "; does a host function (py_func) run itself?");
  }
  return Guarded([&] { return RunWithOptions(executable, feeds, fetched, options, metadata); });
}

Status SessionImpl::RunWithOptions(Executable& executable, std::span<const Tensor> feeds,
                                   std::span<Tensor> fetched, const RunOptions& options,
                                   RunMetadata* metadata) {
  const Plan& plan = executable.plan();
  restored_.WarnAbout(graph_, plan.origin.initializes);
  const Cancellation cancellation(
      &closed_, TokenOf(options),
      options.timeout_in_ms > 0 ? options.timeout_in_ms : options_.operation_timeout_in_ms);
  if (metadata != nullptr && options.output_partition_graphs) {
    RAMET_ASSIGN_OR_RETURN(metadata->partition_graphs, PartitionGraphs(graph_, plan, devices()));
  }
  const std::shared_ptr<const FollowedValues> followed = followed_.Get();
  if (metadata != nullptr) {
    metadata->version = followed ? followed->id : VersionId();
    metadata->version_proof = followed ? followed->proof.load() : VersionProof::kNotAsked;
  }
  RunState state;
  state.cancellation = &cancellation;
  state.followed = followed.get();
  RunContext context{environment_->settings(), state};
  std::optional<StepRecorder> recorder;
  if (metadata != nullptr && options.trace) {
    context.recorder = &recorder.emplace(options.trace_fused ? StepRecorder::Detail::kFusedSteps
                                                             : StepRecorder::Detail::kNodes);
  }
  Status status = plan.traits.may_write ? RunWriting(executable, context, feeds, fetched)
                                        : RunOnce(executable, context, feeds, fetched);
  if (status.ok()) status = CopyBorrowed(fetched);  // while `followed` still holds the memory
  if (recorder) metadata->steps = DescribeSteps(recorder->TakeRecords(), devices());
  return Outcome(status, cancellation);
}

Status SessionImpl::RunWriting(Executable& executable, const RunContext& context,
                               std::span<const Tensor> feeds, std::span<Tensor> fetched) {
  bool outermost = false;
  {
    const StepGate::Pass pass(gate_);
    outermost = pass.outermost();
    RAMET_RETURN_IF_ERROR(RunOnce(executable, context, feeds, fetched));
  }
  return outermost && !observers_.empty() ? observers_.Notify() : OkStatus();
}

std::shared_ptr<VariableState> SessionImpl::StateOf(const VariableRecord& record, bool create) {
  const Operation op = record.variable.op();
  auto attrs = op.attrs();
  std::string name = attrs->GetOr<std::string>("shared_name", "");
  std::string container = attrs->GetOr<std::string>("container", "");
  if (record.is_resource) {
    container = ResourceContainer(container);
  } else if (name.empty()) {
    name = op.name();
  }
  if (create) return environment_->resources().FindOrCreateVariable(container, name);
  return std::dynamic_pointer_cast<VariableState>(environment_->resources().Find(container, name));
}

}  // namespace ramet
