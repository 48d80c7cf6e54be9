#include "ramet/runtime/run_description.h"

#include <algorithm>

#include "ramet/graph_def/partition_def.h"

namespace ramet {
namespace {

// Returns "MatMul+BiasAdd+Relu" for a fused step.
std::string OpsOf(const GraphData& graph, const StepRecord& record) {
  if (record.fused.empty()) return graph.nodes[record.node].op->name();
  std::vector<std::string> ops;
  for (const NodeId node : record.fused) ops.push_back(graph.nodes[node].op->name());
  return StrJoin(ops, "+");
}

// Adds the names of the nodes that a step reads. The nodes inside a fused step are left out.
void AddInputs(const GraphData& graph, const StepRecord& record, std::vector<std::string>* names) {
  const std::span<const NodeId> nodes =
      record.fused.empty() ? std::span(&record.node, 1) : std::span(record.fused);
  for (const NodeId node : nodes) {
    for (const Endpoint e : graph.inputs(node)) {
      if (std::ranges::find(record.fused, e.node) != record.fused.end()) continue;
      names->push_back(StrCat(record.callers, graph.nodes[e.node].name));
    }
  }
}

}  // namespace

StatusOr<std::vector<std::pair<std::string, std::string>>> PartitionGraphs(
    const Graph& graph, const Plan& plan, std::span<Device* const> devices) {
  ReaderLock lock(GraphDataOf(graph).mutex);
  std::vector<std::pair<std::string, std::string>> graphs;
  for (size_t d = 0; d < devices.size(); ++d) {
    Partition partition{
        devices[d]->name(), {}, plan.origin.request.feeds, plan.origin.request.fetches};
    for (size_t i = 0; i < plan.origin.nodes.size(); ++i) {
      if (plan.origin.node_devices[i] == static_cast<int>(d))
        partition.nodes.push_back(plan.origin.nodes[i]);
    }
    if (partition.nodes.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(std::string bytes, ExportPartition(graph, partition));
    graphs.emplace_back(partition.device, std::move(bytes));
  }
  return graphs;
}

std::vector<NodeStats> DescribeSteps(std::vector<StepRecord> records,
                                     std::span<Device* const> devices) {
  std::vector<NodeStats> steps;
  for (StepRecord& record : records) {
    const GraphData& graph = *record.graph;
    ReaderLock lock(graph.mutex);
    const NodeRecord& node = graph.nodes[record.node];
    NodeStats stats{devices[record.device]->name(),
                    StrCat(record.callers, node.name),
                    OpsOf(graph, record),
                    {},
                    record.start_nanos,
                    record.end_nanos,
                    std::move(record.outputs),
                    record.input_bytes,
                    {}};
    for (const NodeId fused : record.fused) {
      stats.fused.push_back(StrCat(record.callers, graph.nodes[fused].name));
    }
    AddInputs(graph, record, &stats.inputs);
    steps.push_back(std::move(stats));
  }
  return steps;
}

}  // namespace ramet
