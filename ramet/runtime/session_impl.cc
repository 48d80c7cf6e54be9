#include "ramet/runtime/session_impl.h"

#include <algorithm>
#include <optional>

#include "ramet/base/exception.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/processors.h"
#include "ramet/runtime/plan_run.h"
#include "ramet/runtime/run_description.h"

namespace ramet {
namespace {

int ThreadsOf(const SessionOptions& options) {
  if (options.intra_op_parallelism_threads > 0) return options.intra_op_parallelism_threads;
  return linalg::UsableProcessors();
}

// Steps that run at the same time use the threads that otherwise share the work of one step, so
// there are never more of them.
int InterOpThreadsOf(const SessionOptions& options) {
  const int processors = linalg::UsableProcessors();
  const int wanted = options.inter_op_parallelism_threads == 0
                         ? processors
                         : std::max(1, options.inter_op_parallelism_threads);
  const int intra = ThreadsOf(options);
  return intra == 1 ? wanted : std::min(wanted, intra);
}

// Returns the status of a run: one that has exceeded its time limit says so even if it finished.
Status Outcome(const Status& status, const Cancellation& cancellation) {
  if (cancellation.late() || (status.ok() && cancellation.cancelled())) {
    return cancellation.status();
  }
  return status;
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
    if (!value.borrowed()) continue;
    RAMET_ASSIGN_OR_RETURN(value, value.DeepCopy());
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

StatusOr<std::shared_ptr<SessionImpl>> SessionImpl::Create(Graph& graph,
                                                           const SessionOptions& options) {
  RAMET_RETURN_IF_ERROR(graph.status());
  if (options.intra_op_parallelism_threads < 0) {
    return InvalidArgument("intra_op_parallelism_threads is ", options.intra_op_parallelism_threads,
                           "; it must be 0 or more");
  }
  std::shared_ptr<SessionImpl> session(new SessionImpl(graph, options));
  auto& registry = DeviceRegistry::Global();
  for (const auto& [type, count] : options.device_count) {
    if (count < 0 || (type == "CPU" && count == 0) || count > 1024) {
      return InvalidArgument("device_count of ", type, " is ", count, "; expected ",
                             type == "CPU" ? "1" : "0", " to 1024");
    }
  }
  for (const std::string& type : registry.Types()) {
    auto asked = options.device_count.find(type);
    int count = asked != options.device_count.end() ? asked->second : registry.DefaultCount(type);
    for (int i = 0; i < count; ++i) {
      RAMET_ASSIGN_OR_RETURN(Device * device, registry.Get(type, i));
      session->devices_.push_back(device);
    }
  }
  for (Device* device : session->devices_) {
    session->envs_.push_back(
        {device->kernel_allocator(), device->allocator(), &session->resources_, device->memory()});
  }
  session->settings_ = {session->devices_,         session->envs_,        ThreadsOf(options),
                        InterOpThreadsOf(options), options.deterministic, &GraphDataOf(graph)};
  session->placer_ = {session->devices_, options.allow_soft_placement,
                      options.log_device_placement};
  return session;
}

size_t SessionImpl::RequestHash::operator()(const PlanRequest& request) const {
  size_t hash = request.feeds.size();
  auto mix = [&hash](Endpoint e) {
    hash = (hash ^ (static_cast<size_t>(e.node) * 31 + static_cast<size_t>(e.index + 2))) *
           size_t{0x9E3779B97F4A7C15};
  };
  for (Endpoint e : request.feeds) mix(e);
  for (Endpoint e : request.fetches) mix(e);
  for (NodeId id : request.done) mix({id, Endpoint::kControl});
  return hash;
}

StatusOr<std::vector<int>> SessionImpl::Place(const GraphData& graph,
                                              std::span<const NodeId> nodes) {
  return PlaceNodes(graph, nodes, placer_);
}

StatusOr<std::shared_ptr<Kernel>> SessionImpl::KernelFor(const GraphData& graph, NodeId id,
                                                         int device) {
  return kernels_.KernelFor(graph, id, device, devices_);
}

StatusOr<std::shared_ptr<FunctionCall>> SessionImpl::CallFor(
    const GraphData& graph, NodeId id, const std::vector<int>& input_devices) {
  return kernels_.CallFor(graph, id, input_devices, functions_, nullptr);
}

StatusOr<std::shared_ptr<Executable>> SessionImpl::ExecutableFor(const PlanRequest& request) {
  if (closed_.cancelled()) return FailedPrecondition("Attempted to use a closed Session.");
  const GraphData& graph = GraphDataOf(*graph_);
  MutexLock lock(mutex_);
  std::shared_lock graph_lock(graph.mutex);
  RAMET_RETURN_IF_ERROR(graph.status);
  auto& slot = executables_[request];
  if (slot && slot->plan().edit_version == graph.edit_version) return slot;
  auto executable = Guarded([&] { return Executable::Compile(graph, request, *this); });
  if (!executable.ok()) {
    executables_.erase(request);
    return executable.status();
  }
  slot = *std::move(executable);
  return slot;
}

bool SessionImpl::IsCurrent(const Executable& executable) const {
  return !closed_.cancelled() && executable.plan().edit_version == graph_->edit_version();
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
  restored_.WarnAbout(*graph_, plan.initializes);
  CancellationToken* token = options.cancellation.get();
  if (RunInterrupt* const interrupt = RunInterrupt::Current(); token == nullptr && interrupt) {
    token = &interrupt->token();
  }
  const Cancellation cancellation(
      &closed_, token,
      options.timeout_in_ms > 0 ? options.timeout_in_ms : options_.operation_timeout_in_ms);
  if (metadata != nullptr && options.output_partition_graphs) {
    RAMET_ASSIGN_OR_RETURN(metadata->partition_graphs, PartitionGraphs(*graph_, plan, devices_));
  }
  const std::shared_ptr<const FollowedValues> followed = followed_.Get();
  if (metadata != nullptr) {
    metadata->version = followed ? followed->id : VersionId();
    metadata->version_proof = followed ? followed->proof.load() : VersionProof::kNotAsked;
  }
  RunState state;
  state.cancellation = &cancellation;
  state.followed = followed.get();
  RunContext context{settings_, state};
  std::optional<StepRecorder> recorder;
  if (metadata != nullptr && options.trace) context.recorder = &recorder.emplace();
  Status status = plan.may_write ? RunWriting(executable, context, feeds, fetched)
                                 : RunOnce(executable, context, feeds, fetched);
  if (status.ok()) status = CopyBorrowed(fetched);  // before `followed` goes
  if (recorder) metadata->steps = DescribeSteps(recorder->TakeRecords(), devices_);
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
  if (create) return resources_.FindOrCreateVariable(container, name);
  return std::dynamic_pointer_cast<VariableState>(resources_.Find(container, name));
}

StatusOr<Tensor> SessionImpl::ToHost(const Tensor& value) const {
  if (value.empty() || value.host_accessible()) return value;
  for (Device* device : devices_) {
    if (device->memory() != value.memory()) continue;
    StatusOr<Tensor> copied = Internal("not copied");
    device->Enqueue([&] { copied = device->CopyToHost(value); });
    device->Synchronize();
    return copied;
  }
  return Internal("a value is in the memory of a device that this session does not have");
}

}  // namespace ramet
