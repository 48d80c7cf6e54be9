#include "ramet/runtime/host_arguments.h"

#include <algorithm>
#include <unordered_set>

#include "ramet/runtime/host_memory.h"

namespace ramet {
namespace {

// Larger values are data rather than arguments.
constexpr int64_t kMaxArgumentElements = 1024;

class HostArguments {
 public:
  HostArguments(const GraphData& graph, const RunOrder& order, const FeedSet& feeds)
      : graph_(graph), order_(order), feeds_(feeds) {}

  // Reports whether a node can run on the host without copies from the device. Nodes must be passed
  // in the order of the run.
  bool Keep(NodeId id) {
    const NodeRecord& node = graph_.nodes[id];
    const auto inputs = graph_.inputs(id);
    if (inputs.empty() || !node.op->HasKernel("CPU", *node.attrs) || !node.op->foldable()) {
      return false;
    }
    for (int32_t i = 0; i < node.num_outputs; ++i) {
      const DType dtype = BaseType(graph_.output({id, i}).dtype);
      if (!IsInteger(dtype) && dtype != kBool) return false;
    }
    if (!std::ranges::all_of(inputs, [&](Endpoint e) { return IsOnHost(e); })) return false;
    kept_.insert(id);
    return true;
  }

 private:
  bool IsOnHost(Endpoint e) const {
    if (feeds_.Contains(e)) return false;  // may be large
    if (kept_.contains(e.node)) return true;
    const NodeRecord& node = graph_.nodes[e.node];
    if (node.op->name() == "Const") {
      const Attr* value = node.attrs->Find("value");
      const Tensor* tensor = value ? value->get<Tensor>() : nullptr;
      return tensor != nullptr && tensor->num_elements() <= kMaxArgumentElements &&
             !order_.may_be_dead.contains(e.node);
    }
    const std::vector<bool> host = InHostMemory(*node.op, node.op->schema().outputs, *node.attrs);
    return static_cast<size_t>(e.index) < host.size() && host[e.index];
  }

  const GraphData& graph_;
  const RunOrder& order_;
  const FeedSet& feeds_;
  std::unordered_set<NodeId> kept_;
};

}  // namespace

void KeepArgumentsOnHost(const GraphData& graph, const RunOrder& order, const FeedSet& feeds,
                         std::span<Device* const> devices, std::vector<int>* placement) {
  // A device that runs the CPU's kernels would not save anything.
  const auto is_accelerator = [&](int d) {
    return devices[d]->memory() != nullptr && devices[d]->kernel_type() == devices[d]->type();
  };
  if (std::ranges::none_of(*placement, is_accelerator)) return;
  HostArguments arguments(graph, order, feeds);
  for (size_t i = 0; i < placement->size(); ++i) {
    // Nodes that are on the host anyway are asked too, because others may take their values.
    if (arguments.Keep(order.nodes[i]) && is_accelerator((*placement)[i])) (*placement)[i] = 0;
  }
}

}  // namespace ramet
