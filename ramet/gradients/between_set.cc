#include "ramet/gradients/between_set.h"

#include "ramet/graph/graph_data.h"

namespace ramet {
namespace {

// The ancestors of ys with dense positions, and the consumers of trainable tensors of each.
struct Ancestors {
  std::unordered_map<NodeId, int> position;
  std::vector<NodeId> nodes;

  void Add(NodeId id) {
    if (position.try_emplace(id, static_cast<int>(nodes.size())).second) nodes.push_back(id);
  }
};

Ancestors CollectAncestors(const GraphData& impl, const std::vector<NodeId>& ys) {
  Ancestors found;
  for (NodeId y : ys) found.Add(y);
  for (size_t i = 0; i < found.nodes.size(); ++i) {
    for (Endpoint e : impl.inputs(found.nodes[i])) found.Add(e.node);
  }
  return found;
}

// Consumers of trainable tensors, as lists in one array.
struct Consumers {
  std::vector<int> begin, items;
};

Consumers CollectConsumers(const GraphData& impl, const Ancestors& ancestors) {
  Consumers c;
  c.begin.assign(ancestors.nodes.size() + 1, 0);
  auto for_each_edge = [&](auto&& visit) {
    for (size_t i = 0; i < ancestors.nodes.size(); ++i) {
      for (Endpoint e : impl.inputs(ancestors.nodes[i])) {
        if (IsTrainableType(impl.output(e).dtype)) {
          visit(ancestors.position.at(e.node), static_cast<int>(i));
        }
      }
    }
  };
  for_each_edge([&](int from, int) { ++c.begin[from + 1]; });
  for (size_t i = 1; i < c.begin.size(); ++i) c.begin[i] += c.begin[i - 1];
  c.items.resize(c.begin.back());
  std::vector<int> next(c.begin.begin(), c.begin.end() - 1);
  for_each_edge([&](int from, int to) { c.items[next[from]++] = to; });
  return c;
}

std::vector<bool> Reach(const Ancestors& ancestors, const Consumers& consumers,
                        const std::vector<NodeId>& xs) {
  std::vector<bool> reached(ancestors.nodes.size());
  std::vector<int> queue;
  auto visit = [&](int position) {
    if (!reached[position]) queue.push_back(position);
    reached[position] = true;
  };
  for (NodeId x : xs) {
    if (auto it = ancestors.position.find(x); it != ancestors.position.end()) visit(it->second);
  }
  while (!queue.empty()) {
    const int at = queue.back();
    queue.pop_back();
    for (int i = consumers.begin[at]; i < consumers.begin[at + 1]; ++i) visit(consumers.items[i]);
  }
  return reached;
}

}  // namespace

bool IsTrainableType(DType dtype) {
  switch (BaseType(dtype)) {
    case DType::kHalf:
    case DType::kFloat:
    case DType::kDouble:
    case DType::kBFloat16:
    case DType::kComplex64:
    case DType::kComplex128:
    case DType::kResource:
    case DType::kVariant: return true;
    default: return false;
  }
}

BetweenSet::BetweenSet(const Graph& graph, const std::vector<NodeId>& ys,
                       const std::vector<NodeId>& xs) {
  const GraphData& impl = GraphDataOf(graph);
  ReaderLock lock(impl.mutex);
  const Ancestors ancestors = CollectAncestors(impl, ys);
  const std::vector<bool> reached = Reach(ancestors, CollectConsumers(impl, ancestors), xs);
  auto add = [&](NodeId id) {
    if (reached[ancestors.position.at(id)]) Add(id);
  };
  for (NodeId y : ys) add(y);
  for (size_t i = 0; i < order_.size(); ++i) {
    for (Endpoint e : impl.inputs(order_[i])) add(e.node);
  }
}

void BetweenSet::Add(NodeId id) {
  if (pending_.try_emplace(id, 0).second) order_.push_back(id);
}

void BetweenSet::CountUses(const Graph& graph) {
  const GraphData& impl = GraphDataOf(graph);
  ReaderLock lock(impl.mutex);
  for (NodeId id : order_) {
    for (Endpoint e : impl.inputs(id)) {
      if (auto it = pending_.find(e.node); it != pending_.end()) ++it->second;
    }
  }
}

int BetweenSet::pending(NodeId id) const {
  auto it = pending_.find(id);
  return it == pending_.end() ? 0 : it->second;
}

int BetweenSet::FinishUse(NodeId id) {
  auto it = pending_.find(id);
  return it == pending_.end() ? -1 : --it->second;
}

}  // namespace ramet
