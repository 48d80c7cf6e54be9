#include "ramet/eager/eager_function.h"

#include <algorithm>
#include <atomic>

#include "ramet/base/run_interrupt.h"
#include "ramet/graph/graph_data.h"
#include "ramet/runtime/endpoint.h"
#include "ramet/runtime/plan_run.h"
#include "ramet/tensor/variant.h"

namespace ramet {

int64_t EagerValue::NextId() {
  static std::atomic<int64_t> last = 0;
  return ++last;
}

EagerValue EagerValue::NewVariable(const std::string& name) {
  EagerValue handle;
  handle.owner = std::make_shared<VariableState>(name);
  handle.value.variable = handle.owner.get();
  handle.id = NextId();
  return handle;
}

EagerFunction::EagerFunction(EagerFunctionParts parts, FunctionTable& table)
    : parts_(std::move(parts)), table_(table), settings_(table.settings()) {
  settings_.graph = &GraphDataOf(*parts_.graph);
  for (const Output& result : parts_.returns) result_types_.push_back(result.dtype());
  keeps_handles_ = std::ranges::any_of(result_types_, IsVariant);
}

StatusOr<std::shared_ptr<EagerFunction>> EagerFunction::Make(EagerFunctionParts parts,
                                                             FunctionTable& table) {
  std::shared_ptr<EagerFunction> made(new EagerFunction(std::move(parts), table));
  RAMET_RETURN_IF_ERROR(made->Compile());
  return made;
}

Status EagerFunction::Compile() {
  PlanRequest request;
  for (const Output& arg : parts_.args) request.feeds.push_back(ToEndpoint(arg));
  for (const Output& result : parts_.returns) request.fetches.push_back(ToEndpoint(result));
  for (const Operation& op : parts_.controls) {
    request.fetches.push_back({op.id(), Endpoint::kControl});
  }
  const GraphData& graph = GraphDataOf(*parts_.graph);
  ReaderLock lock(graph.mutex);
  RAMET_ASSIGN_OR_RETURN(executable_, Executable::Compile(graph, request, *this));
  return OkStatus();
}

Status EagerFunction::Run(std::span<const EagerValue> args, std::span<EagerValue> results) {
  constexpr size_t kInlineResults = 8;
  RunInterrupt* const interrupt = RunInterrupt::Current();
  const Cancellation cancellation(nullptr, interrupt ? &interrupt->token() : nullptr, 0);
  RunState state;
  state.cancellation = &cancellation;
  const CancellationScope scope(&cancellation);
  const RunContext context{settings_, state};
  PlanRun run(*executable_, context);
  for (size_t i = 0; i < args.size(); ++i) run.arg(i) = args[i].value;
  Value few[kInlineResults];
  std::vector<Value> many(results.size() > kInlineResults ? results.size() : 0);
  const std::span<Value> values(many.empty() ? few : many.data(), results.size());
  RAMET_RETURN_IF_ERROR(run.RunBody(result_types_, values));
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].value = std::move(values[i]);
    results[i].id = EagerValue::NextId();
    if (results[i].value.variable != nullptr) Own(args, &results[i]);
  }
  return OkStatus();
}

void EagerFunction::Own(std::span<const EagerValue> args, EagerValue* result) const {
  VariableState* const variable = result->value.variable;
  for (const EagerValue& arg : args) {
    if (arg.value.variable != variable) continue;
    result->owner = arg.owner;
    return;
  }
  // The variable belongs to the resources of the context.
  result->owner = std::shared_ptr<VariableState>(std::shared_ptr<void>(), variable);
}

StatusOr<std::vector<int>> EagerFunction::Place(const GraphData& graph,
                                                std::span<const NodeId> nodes) {
  return PlaceNodes(graph, nodes, table_.placer());
}

StatusOr<std::shared_ptr<Kernel>> EagerFunction::KernelFor(const GraphData& graph, NodeId node,
                                                           int device) {
  return kernels_.KernelFor(graph, node, device, devices());
}

StatusOr<std::shared_ptr<FunctionCall>> EagerFunction::CallFor(
    const GraphData& graph, NodeId node, const std::vector<int>& input_devices) {
  return kernels_.CallFor(graph, node, input_devices, table_, nullptr);
}

}  // namespace ramet
