#include "ramet/graph/fold_node.h"

#include <algorithm>

#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

constexpr int kMaxFoldedInputs = 4096;
// Each output costs an allocation, and a query keeps only one of them.
constexpr int kMaxFoldedOutputs = 256;

// Values of other dtypes have no fixed size in memory.
bool HasFoldableDType(const OutputRecord& output) {
  return !IsRef(output.dtype) && DTypeSize(output.dtype) > 0;
}

}  // namespace

bool MayBeFolded(const GraphNodes& graph, const NodeRecord& node) {
  if (node.num_inputs == 0 || node.num_inputs > kMaxFoldedInputs ||
      node.num_outputs > kMaxFoldedOutputs || !node.op->foldable() ||
      node.op->schema().is_stateful || node.op->calls_program() ||
      ControlFlowOf(*node.op) != ControlFlow::kNone) {
    return false;
  }
  const std::span outputs(graph.outputs.data() + node.first_output,
                          static_cast<size_t>(node.num_outputs));
  return std::ranges::all_of(outputs, HasFoldableDType);
}

int64_t LoopsOver(const Shape& shape) {
  if (!shape.IsFullyDefined()) return -1;
  int64_t product = 1;
  for (int64_t d : shape.dims()) {
    if (d > 0 && !MultiplyNonNegative(product, d, &product)) return INT64_MAX;
  }
  return product;
}

StatusOr<BufferPtr> FoldingAllocator::Allocate(size_t bytes) {
  if (bytes <= max_bytes_) return HostAllocator()->Allocate(bytes);
  return ResourceExhausted("a constant of ", bytes, " bytes is too large to fold");
}

std::vector<Tensor> ComputeFolded(Kernel& kernel, std::span<const Tensor> inputs, int num_outputs,
                                  FoldingAllocator* allocator) {
  std::vector<KernelInput> kernel_inputs;
  for (const Tensor& t : inputs) kernel_inputs.push_back({.tensor = &t});
  std::vector<Value> values(num_outputs);
  KernelEnv env{allocator, allocator, nullptr, nullptr};
  RunState run;
  KernelContext context(env, kernel_inputs, values, run);
  if (!ComputeGuarded(kernel, context).ok()) return {};
  std::vector<Tensor> outputs;
  for (Value& value : values) outputs.push_back(std::move(value.tensor));
  return outputs;
}

}  // namespace ramet
