#include "ramet/runtime/active_run.h"

#include <algorithm>
#include <utility>

#include "ramet/linalg/parallel.h"

namespace ramet {
namespace {

// An error that comes out of many calls names the innermost and the outermost ones.
constexpr size_t kMaxMessageBytes = 2000;

}  // namespace

ActiveRun::ActiveRun(Plan& plan, const RunContext& context)
    : plan_(plan), context_(context), buffers_(plan.TakeBuffers()) {}

ActiveRun::~ActiveRun() {
  if (plan_.traits.has_several_memories) Clear();  // such plans do not release slots as they go
  plan_.ReturnBuffers(std::move(buffers_));
}

void ActiveRun::Pass(const Step& step, int i, Value* to) {
  Value& from = input(step, i);
  if (plan_.inputs_of(step)[i].is_last_use) {
    *to = std::exchange(from, Value());
  } else {
    *to = from;
  }
}

void PrepareThread(const ExecutorSettings& settings) {
  linalg::SetIntraOpThreads(settings.intra_op_threads);
  linalg::SetDeterministic(settings.deterministic);
}

void ActiveRun::PrepareThread() const { ramet::PrepareThread(settings()); }

void ActiveRun::Release(const Step& step) {
  for (int i = 0; i < step.releases.size; ++i) {
    value(plan_.release_slots[step.releases.first + i]) = Value();
  }
}

void ActiveRun::ReleaseFetched(int32_t slot) {
  if (slot < 0 || plan_.slots.HoldsConstant(slot)) return;
  for (const auto& [preset, tensor] : plan_.slots.presets) {
    if (preset == slot) return;
  }
  value(slot) = Value();
}

void ActiveRun::Clear() {
  std::ranges::fill(buffers_->dead, 0);
  for (int32_t slot = 0; slot < plan_.slots.count; ++slot) {
    if (!plan_.slots.HoldsConstant(slot)) value(slot) = Value();
  }
  for (const auto& [slot, tensor] : plan_.slots.presets) value(slot).tensor = tensor;
  for (Tensor& tensor : buffers_->scratch.resolved) tensor = Tensor();
}

int64_t ActiveRun::InputBytes(const Step& step) {
  int64_t bytes = 0;
  for (int i = 0; i < step.inputs.size; ++i) {
    const Tensor tensor = Read(input(step, i));
    if (tensor.empty()) continue;
    bytes += tensor.num_elements() * static_cast<int64_t>(DTypeSize(tensor.dtype()));
  }
  return bytes;
}

void ActiveRun::Record(const Step& step, int64_t start_nanos, int64_t input_bytes) {
  StepRecord record;
  record.graph = settings().graph;
  record.callers = context_.callers;
  record.node = step.node;
  record.device = step.device;
  record.start_nanos = start_nanos;
  record.input_bytes = input_bytes;
  if (const auto* fused = std::get_if<FusedStep>(&step.work)) {
    for (const Step& part : plan_.fusions[fused->fusion].parts) record.fused.push_back(part.node);
  }
  context_.recorder->Add(std::move(record), outputs(step), context_.state.followed);
}

std::string ActiveRun::NodeName(const Step& step) const {
  ReaderLock lock(settings().graph->mutex);
  return std::string(settings().graph->nodes[step.node].name);
}

Status ActiveRun::WithNode(const Step& step, const Status& status) const {
  const Cancellation* const cancellation = context_.state.cancellation;
  if (cancellation && status.message() == cancellation->status().message()) return status;
  if (step.Is<FusedStep>()) return status;  // names the node of one of its parts
  if (context_.depth > 0 && status.message().size() > kMaxMessageBytes) return status;
  const std::string node = NodeName(step);
  if (settings().function == nullptr) {
    return status.WithSuffix(StrCat("\n\t [[{{node ", node, "}}]]"));
  }
  return status.WithSuffix(
      StrCat("\n\t [[{{function_node ", *settings().function, "}}{{node ", node, "}}]]"));
}

StatusOr<Tensor> ActiveRun::ToHost(const Tensor& tensor) const {
  if (tensor.host_accessible()) return tensor;
  for (Device* device : settings().devices) {
    if (device->memory() == tensor.memory()) return device->CopyToHost(tensor);
  }
  return Internal("a value is in the memory of a device that this session does not have");
}

}  // namespace ramet
