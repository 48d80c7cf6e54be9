#include "ramet/edit/select.h"

#include <algorithm>
#include <unordered_set>

#include "ramet/base/strings.h"
#include "ramet/graph/graph_data.h"

namespace ramet {
namespace {

// The neighbors of each node in a walk.
class Neighbors {
 public:
  Neighbors(const Graph& graph, bool forward, const WalkOptions& options) {
    const GraphData& impl = GraphDataOf(graph);
    ReaderLock lock(impl.mutex);
    const std::unordered_set<Output, OutputHash> stop(options.stop_at.begin(),
                                                      options.stop_at.end());
    next_.resize(impl.nodes.size());
    for (NodeId id = 0; id < std::ssize(impl.nodes); ++id) {
      auto join = [&](NodeId producer) {
        next_[forward ? producer : id].push_back(forward ? id : producer);
      };
      for (Endpoint e : impl.inputs(id)) {
        if (stop.empty() || !stop.contains(Output(Operation(&graph, e.node), e.index))) {
          join(e.node);
        }
      }
      if (!options.control_edges) continue;
      for (Endpoint e : impl.controls(id)) join(e.node);
    }
  }
  const std::vector<NodeId>& Of(NodeId id) const { return next_[id]; }
  size_t size() const { return next_.size(); }

 private:
  std::vector<std::vector<NodeId>> next_;
};

std::vector<Operation> Walk(const std::vector<Operation>& seeds, bool forward,
                            const WalkOptions& options) {
  if (seeds.empty()) return {};
  const Graph& graph = *seeds[0].graph();
  const Neighbors neighbors(graph, forward, options);
  std::vector<bool> met(neighbors.size());
  std::vector<Operation> found;
  std::vector<NodeId> wave;
  auto meet = [&](NodeId id, std::vector<NodeId>& layer) {
    if (met[id] || (options.within && !options.within(Operation(&graph, id)))) return;
    met[id] = true;
    layer.push_back(id);
  };
  for (const Operation& seed : seeds) meet(seed.id(), wave);
  while (!wave.empty()) {
    std::vector<NodeId> next;
    for (NodeId id : wave) {
      found.push_back(Operation(&graph, id));
      for (NodeId near : neighbors.Of(id)) meet(near, next);
    }
    std::ranges::sort(next);
    wave = std::move(next);
  }
  return found;
}

}  // namespace

std::vector<Operation> OperationsWhere(const Graph& graph,
                                       const std::function<bool(const Operation&)>& keep) {
  std::vector<Operation> kept;
  for (const Operation& op : graph.operations()) {
    if (keep(op)) kept.push_back(op);
  }
  return kept;
}

std::vector<Operation> OperationsInScope(const Graph& graph, std::string_view scope) {
  if (scope.ends_with('/')) scope.remove_suffix(1);
  return OperationsWhere(graph, [&](const Operation& op) {
    const std::string name = op.name();
    return scope.empty() || name == scope ||
           (name.starts_with(scope) && name.size() > scope.size() && name[scope.size()] == '/');
  });
}

std::vector<Operation> WalkForward(const std::vector<Operation>& seeds,
                                   const WalkOptions& options) {
  return Walk(seeds, true, options);
}

std::vector<Operation> WalkBackward(const std::vector<Operation>& seeds,
                                    const WalkOptions& options) {
  return Walk(seeds, false, options);
}

Boundary BoundaryOf(const std::vector<Operation>& operations) {
  Boundary boundary;
  if (operations.empty()) return boundary;
  const Graph& graph = *operations[0].graph();
  const GraphData& impl = GraphDataOf(graph);
  std::unordered_set<NodeId> members;
  for (const Operation& op : operations) members.insert(op.id());
  using OutputSet = std::unordered_set<Output, OutputHash>;
  OutputSet read_here, read_outside, inputs;
  ReaderLock lock(impl.mutex);
  for (NodeId id = 0; id < std::ssize(impl.nodes); ++id) {
    OutputSet& readers = members.contains(id) ? read_here : read_outside;
    for (Endpoint e : impl.inputs(id)) {
      if (members.contains(e.node)) readers.insert(Output(Operation(&graph, e.node), e.index));
    }
  }
  for (const Operation& op : operations) {
    if (members.erase(op.id()) == 0) continue;
    for (int i = 0; i < impl.nodes[op.id()].num_outputs; ++i) {
      const Output made(op, i);
      const bool inside = read_here.contains(made);
      if (inside) boundary.insides.push_back(made);
      if (!inside || read_outside.contains(made)) boundary.outputs.push_back(made);
    }
  }
  for (const Operation& op : operations) members.insert(op.id());
  for (const Operation& op : operations) {
    for (Endpoint e : impl.inputs(op.id())) {
      const Output in(Operation(&graph, e.node), e.index);
      if (!members.contains(e.node) && inputs.insert(in).second) boundary.inputs.push_back(in);
    }
  }
  return boundary;
}

std::vector<TensorReader> ReadersOf(const Output& tensor) {
  const Graph& graph = *tensor.graph();
  const GraphData& impl = GraphDataOf(graph);
  std::vector<TensorReader> readers;
  ReaderLock lock(impl.mutex);
  for (NodeId id = 0; id < std::ssize(impl.nodes); ++id) {
    const auto inputs = impl.inputs(id);
    for (int i = 0; i < std::ssize(inputs); ++i) {
      if (inputs[i] == Endpoint{tensor.op().id(), tensor.index()}) {
        readers.push_back({Operation(&graph, id), i});
      }
    }
  }
  return readers;
}

}  // namespace ramet
