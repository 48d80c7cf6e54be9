#include "ramet/runtime/run_description.h"

#include "ramet/graph_def/partition_def.h"

namespace ramet {

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
                    node.op->name(),
                    {},
                    record.start_nanos,
                    record.end_nanos,
                    std::move(record.outputs)};
    for (Endpoint e : graph.inputs(record.node)) {
      stats.inputs.push_back(StrCat(record.callers, graph.nodes[e.node].name));
    }
    steps.push_back(std::move(stats));
  }
  return steps;
}

}  // namespace ramet
