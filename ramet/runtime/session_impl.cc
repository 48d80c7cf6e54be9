#include "ramet/runtime/session_impl.h"

#include <algorithm>
#include <optional>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/graph/partition_def.h"
#include "ramet/linalg/processors.h"

namespace ramet {
namespace {

// As a client prints a shape: "(50, 784)", "(?, 784)", "(3,)".
std::string TupleText(const Shape& shape) {
  if (shape.unknown_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    text += StrCat(i ? ", " : "", shape.dim(i) < 0 ? std::string("?") : StrCat(shape.dim(i)));
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

int ThreadsOf(const SessionOptions& options) {
  if (options.intra_op_parallelism_threads > 0) return options.intra_op_parallelism_threads;
  return linalg::UsableProcessors();
}

// Steps that run at the same time are run by the threads that else share the work of one step, so
// that there are never more of them.
int InterOpThreadsOf(const SessionOptions& options) {
  const int processors = linalg::UsableProcessors();
  const int wanted = options.inter_op_parallelism_threads == 0
                         ? processors
                         : std::max(1, options.inter_op_parallelism_threads);
  const int intra = ThreadsOf(options);
  return intra == 1 ? wanted : std::min(wanted, intra);
}

// What a run whose time is over says, whether or not it came to its end meanwhile.
Status Outcome(const Status& status, const Cancellation& cancellation) {
  if (cancellation.late() || (status.ok() && cancellation.cancelled())) {
    return cancellation.status();
  }
  return status;
}

// What only has a meaning inside of the program: handles and variants.
Status CheckLeavesGraph(const Output& output) {
  if (output.dtype() == DType::kVariant) {
    return Unimplemented("'", output.name(),
                         "' is a variant, which can be neither fetched nor fed; fetch what it "
                         "holds (of a list the output of a TensorListStack)");
  }
  if (output.dtype() != DType::kResource) return OkStatus();
  return Unimplemented("'", output.name(),
                       "' is the handle of a resource, which can be neither fetched nor fed; fetch "
                       "its value (the output of a ReadVariableOp)");
}

// A host function may run a session, whose host functions may do so again. Each level takes stack.
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

}  // namespace

StatusOr<std::shared_ptr<SessionImpl>> SessionImpl::Create(Graph& graph,
                                                           const SessionOptions& options) {
  RAMET_RETURN_IF_ERROR(graph.status());
  if (options.intra_op_parallelism_threads < 0) {
    return InvalidArgument("intra_op_parallelism_threads is ", options.intra_op_parallelism_threads,
                           "; 0 or more are possible");
  }
  std::shared_ptr<SessionImpl> session(new SessionImpl(graph, options));
  auto& registry = DeviceRegistry::Global();
  for (const auto& [type, count] : options.device_count) {
    if (count < 0 || (type == "CPU" && count == 0) || count > 1024) {
      return InvalidArgument("device_count of ", type, " is ", count, "; ",
                             type == "CPU" ? "1" : "0", " to 1024 are possible");
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
                        InterOpThreadsOf(options), options.deterministic, &graph.impl()};
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

StatusOr<std::vector<int>> SessionImpl::Place(const GraphImpl& graph,
                                              std::span<const NodeId> nodes) {
  return PlaceNodes(graph, nodes, placer_);
}

StatusOr<std::shared_ptr<Kernel>> SessionImpl::KernelFor(const GraphImpl& graph, NodeId id,
                                                         int device) {
  return kernels_.KernelFor(graph, id, device, devices_);
}

StatusOr<std::shared_ptr<FunctionCall>> SessionImpl::CallFor(
    const GraphImpl& graph, NodeId id, const std::vector<int>& input_devices) {
  return kernels_.CallFor(graph, id, input_devices, functions_, nullptr);
}

StatusOr<std::shared_ptr<Plan>> SessionImpl::PlanFor(const PlanRequest& request) {
  if (closed_.cancelled()) return FailedPrecondition("Attempted to use a closed Session.");
  const GraphImpl& graph = graph_->impl();
  std::lock_guard lock(mutex_);
  std::shared_lock graph_lock(graph.mutex);
  RAMET_RETURN_IF_ERROR(graph.status);
  auto& slot = plans_[request];
  if (slot && slot->edit_version == graph.edit_version) return slot;
  auto plan = Guarded([&] { return CompilePlan(graph, request, *this); });
  if (!plan.ok()) {
    plans_.erase(request);
    return plan.status();
  }
  slot = *std::move(plan);
  return slot;
}

bool SessionImpl::IsCurrent(const Plan& plan) const {
  return !closed_.cancelled() && plan.edit_version == graph_->edit_version();
}

Status SessionImpl::RunPlanWith(Plan& plan, std::span<const Tensor> feeds,
                                std::span<Tensor> fetched, const RunOptions& options,
                                RunMetadata* metadata) {
  const RunDepth depth;
  if (depth.runs() > kMaxRunDepth) {
    return ResourceExhausted("this run is within ", kMaxRunDepth, " other runs of its thread, and ",
                             kMaxRunDepth,
                             " is the limit; does a host function (py_func) run itself?");
  }
  return Guarded([&] { return RunPlanAsked(plan, feeds, fetched, options, metadata); });
}

Status SessionImpl::RunPlanAsked(Plan& plan, std::span<const Tensor> feeds,
                                 std::span<Tensor> fetched, const RunOptions& options,
                                 RunMetadata* metadata) {
  if (any_restored_ && !plan.initializes.empty()) WarnAboutRestored(plan);
  CancellationToken* token = options.cancellation.get();
  if (RunInterrupt* const interrupt = RunInterrupt::Current(); token == nullptr && interrupt) {
    token = &interrupt->token();
  }
  const Cancellation cancellation(
      &closed_, token,
      options.timeout_in_ms > 0 ? options.timeout_in_ms : options_.operation_timeout_in_ms);
  if (metadata != nullptr && options.output_partition_graphs) {
    RAMET_ASSIGN_OR_RETURN(metadata->partition_graphs, Partitions(plan));
  }
  const std::shared_ptr<const FollowedValues> values = followed();
  if (metadata != nullptr) {
    metadata->version = values ? values->id : VersionId();
    metadata->version_proof = values ? values->proof.load() : VersionProof::kNotAsked;
  }
  RunControl control{&cancellation, nullptr, values.get()};
  std::optional<StepRecorder> recorder;
  if (metadata != nullptr && options.trace) control.recorder = &recorder.emplace();
  Status status = plan.may_write ? RunWriting(plan, feeds, fetched, control)
                                 : RunPlan(plan, settings_, feeds, fetched, control);
  if (status.ok()) status = CopyBorrowed(fetched);  // which is there as long as `values`
  if (recorder) metadata->steps = Described(*recorder);
  return Outcome(status, cancellation);
}

Status SessionImpl::RunWriting(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
                               const RunControl& control) {
  bool outermost = false;
  {
    const StepGate::Pass pass(gate_);
    outermost = pass.outermost();
    RAMET_RETURN_IF_ERROR(RunPlan(plan, settings_, feeds, fetched, control));
  }
  return outermost && is_observed_ ? Observed() : OkStatus();
}

Status SessionImpl::Observed() {
  std::vector<std::shared_ptr<Observation>> observations;
  {
    std::lock_guard lock(observer_mutex_);
    for (auto& [id, observation] : observers_) observations.push_back(observation);
  }
  for (auto& observation : observations) {
    std::shared_lock lock(observation->calls);
    if (observation->observer) RAMET_RETURN_IF_ERROR(observation->observer());
  }
  return OkStatus();
}

int SessionImpl::AddObserver(StepObserver observer) {
  std::lock_guard lock(observer_mutex_);
  const auto observation = std::make_shared<Observation>();
  observation->observer = std::move(observer);
  observers_[next_observer_] = observation;
  is_observed_ = true;
  return next_observer_++;
}

void SessionImpl::RemoveObserver(int id) {
  std::shared_ptr<Observation> removed;
  {
    std::lock_guard lock(observer_mutex_);
    const auto found = observers_.find(id);
    if (found == observers_.end()) return;
    removed = std::move(found->second);
    observers_.erase(found);
    is_observed_ = !observers_.empty();
  }
  std::unique_lock lock(removed->calls);
  removed->observer = nullptr;
}

void SessionImpl::Follow(std::shared_ptr<const FollowedValues> values) {
  std::lock_guard lock(followed_mutex_);
  follows_ = values != nullptr;
  followed_.swap(values);
}

std::shared_ptr<const FollowedValues> SessionImpl::followed() const {
  if (!follows_.load(std::memory_order_acquire)) return nullptr;
  std::lock_guard lock(followed_mutex_);
  return followed_;
}

StatusOr<std::vector<std::pair<std::string, std::string>>> SessionImpl::Partitions(
    const Plan& plan) const {
  const GraphImpl& graph = graph_->impl();
  std::shared_lock lock(graph.mutex);
  std::vector<std::pair<std::string, std::string>> graphs;
  for (size_t d = 0; d < devices_.size(); ++d) {
    Partition partition{devices_[d]->name(), {}, plan.request.feeds, plan.request.fetches};
    for (size_t i = 0; i < plan.nodes.size(); ++i) {
      if (plan.node_devices[i] == static_cast<int>(d)) partition.nodes.push_back(plan.nodes[i]);
    }
    if (partition.nodes.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(std::string bytes, ExportPartition(graph, partition));
    graphs.emplace_back(partition.device, std::move(bytes));
  }
  return graphs;
}

std::vector<NodeStats> SessionImpl::Described(const StepRecorder& recorder) const {
  std::vector<NodeStats> steps;
  for (const StepRecord& record : recorder.records()) {
    const GraphImpl& graph = *record.graph;
    std::shared_lock lock(graph.mutex);
    const NodeRecord& node = graph.nodes[record.node];
    NodeStats stats{devices_[record.device]->name(),
                    StrCat(record.callers, node.name),
                    node.op->name(),
                    {},
                    record.start_nanos,
                    record.end_nanos,
                    record.outputs};
    for (Endpoint e : graph.inputs(record.node)) {
      stats.inputs.push_back(StrCat(record.callers, graph.nodes[e.node].name));
    }
    steps.push_back(std::move(stats));
  }
  return steps;
}

Status SessionImpl::CheckFeed(const Output& tensor, const Tensor& value) const {
  const DType want = BaseType(tensor.dtype());
  if (value.empty()) return InvalidArgument("the value fed for ", tensor.name(), " is empty");
  if (value.dtype() != want) {
    return InvalidArgument("Tensor ", tensor.name(), ", specified in feeds, must be of dtype ",
                           DTypeName(want), ", but a ", DTypeName(value.dtype()),
                           " tensor was fed");
  }
  const Shape shape = tensor.shape();
  if (!shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument("Cannot feed value of shape ", TupleText(value.shape()), " for Tensor ",
                           tensor.name(), ", which has shape ", TupleText(shape));
  }
  return OkStatus();
}

StatusOr<std::variant<Output, Operation>> SessionImpl::ResolveFetch(
    const GraphElement& element) const {
  using Resolved = std::variant<Output, Operation>;
  auto foreign = [](const std::string& name) {
    return InvalidArgument(name.empty() ? "an invalid handle was fetched: building it failed"
                                        : StrCat(name, " is not an element of this graph."));
  };
  if (auto* output = std::get_if<Output>(&element.element())) {
    if (output->graph() != graph_) return foreign(output->name());
    RAMET_RETURN_IF_ERROR(CheckLeavesGraph(*output));
    return Resolved(*output);
  }
  if (auto* op = std::get_if<Operation>(&element.element())) {
    if (op->graph() != graph_) return foreign(op->name());
    return Resolved(*op);
  }
  const std::string& name = std::get<std::string>(element.element());
  if (name.find(':') == std::string::npos) {
    RAMET_ASSIGN_OR_RETURN(Operation op, graph_->FindOperation(name));
    return Resolved(op);
  }
  RAMET_ASSIGN_OR_RETURN(Output output, graph_->Tensor(name));
  RAMET_RETURN_IF_ERROR(CheckLeavesGraph(output));
  return Resolved(output);
}

StatusOr<Output> SessionImpl::ResolveTensor(const GraphElement& element) const {
  RAMET_ASSIGN_OR_RETURN(auto resolved, ResolveFetch(element));
  if (auto* output = std::get_if<Output>(&resolved)) return *output;
  return InvalidArgument("Cannot feed '", std::get<Operation>(resolved).name(),
                         "': it is an operation; tensor names end in ':0' (':1', ...)");
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
    if (device->memory() == nullptr) continue;
    StatusOr<Tensor> copied = Internal("not copied");
    device->Enqueue([&] { copied = device->CopyToHost(value); });
    device->Synchronize();
    return copied;
  }
  return Internal("a value is in the memory of a device that this session does not have");
}

void SessionImpl::NoteRestored(const std::vector<std::string>& names) {
  std::lock_guard lock(mutex_);
  restored_.insert(names.begin(), names.end());
  any_restored_ = !restored_.empty();
}

void SessionImpl::WarnAboutRestored(const Plan& plan) {
  std::lock_guard lock(mutex_);
  int overwritten = 0;
  for (VariableId id : plan.initializes) {
    overwritten += restored_.contains(graph_->variables()[id].variable.op().name());
  }
  if (overwritten == 0) return;
  LogWarning(
      "restored values of ", overwritten,
      " variables are overwritten by their initializers; to initialise only what is missing, "
      "use Session::InitializeMissing (Python: session.initialize_missing())");
  restored_.clear();
  any_restored_ = false;
}

void SessionImpl::Close() { closed_.Cancel(); }

}  // namespace ramet
