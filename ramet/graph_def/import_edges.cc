#include "ramet/graph_def/import_edges.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace ramet {
namespace {

bool IsMerge(const NodeView& node) { return node.op == "Merge" || node.op == "RefMerge"; }

bool IsNextIteration(const NodeView& node) {
  return node.op == "NextIteration" || node.op == "RefNextIteration";
}

// Sorts the nodes of a file by their edges, ignoring those that close a loop.
class Sorter {
 public:
  Sorter(const GraphDefView& def, const std::vector<Endpoint>& edges,
         const std::vector<ImportEdges::Range>& ranges, NodeId base)
      : def_(def),
        edges_(edges),
        ranges_(ranges),
        base_(base),
        size_(static_cast<int32_t>(ranges.size())) {}

  bool FileOrderWillDo() const {
    bool sorted = true;
    for (int32_t i = 0; i < size_ && sorted; ++i) {
      ForEachInput(i, [&](int32_t producer) { sorted = sorted && producer < i; });
    }
    return sorted;
  }

  // Returns the positions that can be ordered, the earliest possible first.
  std::vector<int32_t> Run() {
    CountConsumers();
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
    for (int32_t i = 0; i < size_; ++i) {
      if (pending_[i] == 0) ready.push(i);
    }
    std::vector<int32_t> order;
    order.reserve(pending_.size());
    while (!ready.empty()) {
      const int32_t i = ready.top();
      ready.pop();
      order.push_back(i);
      for (int32_t c = first_consumer_[i]; c < first_consumer_[i + 1]; ++c) {
        if (--pending_[consumers_[c]] == 0) ready.push(consumers_[c]);
      }
    }
    return order;
  }

  // Returns a node that Run could not order.
  int32_t Stuck() const {
    auto it = std::ranges::find_if(pending_, [](int32_t p) { return p > 0; });
    return static_cast<int32_t>(it - pending_.begin());
  }

 private:
  // Visits the producers in this file of node i's inputs. NextIterations that feed a Merge are
  // skipped if it has other inputs.
  template <class Visit>
  void ForEachInput(int32_t i, Visit visit) const {
    const ImportEdges::Range& r = ranges_[i];
    const bool skip_back_edges = IsMerge(def_.node(i)) && HasForwardInput(r);
    for (int32_t e = 0; e < r.num_inputs + r.num_controls; ++e) {
      const int32_t producer = edges_[r.first + e].node - base_;
      if (producer < 0) continue;
      if (skip_back_edges && e < r.num_inputs && IsNextIteration(def_.node(producer))) continue;
      visit(producer);
    }
  }

  bool HasForwardInput(const ImportEdges::Range& r) const {
    for (int32_t e = r.first; e < r.first + r.num_inputs; ++e) {
      const int32_t producer = edges_[e].node - base_;
      if (producer < 0 || !IsNextIteration(def_.node(producer))) return true;
    }
    return false;
  }

  void CountConsumers() {
    pending_.assign(static_cast<size_t>(size_), 0);
    first_consumer_.assign(static_cast<size_t>(size_) + 1, 0);
    for (int32_t i = 0; i < size_; ++i) {
      ForEachInput(i, [&](int32_t producer) {
        ++pending_[i];
        ++first_consumer_[producer + 1];
      });
    }
    for (size_t i = 1; i < first_consumer_.size(); ++i)
      first_consumer_[i] += first_consumer_[i - 1];
    consumers_.resize(static_cast<size_t>(first_consumer_.back()));
    std::vector<int32_t> next(first_consumer_.begin(), first_consumer_.end() - 1);
    for (int32_t i = 0; i < size_; ++i) {
      ForEachInput(i, [&](int32_t producer) { consumers_[next[producer]++] = i; });
    }
  }

  const GraphDefView& def_;
  const std::vector<Endpoint>& edges_;
  const std::vector<ImportEdges::Range>& ranges_;
  const NodeId base_;
  const int32_t size_;
  std::vector<int32_t> pending_, first_consumer_, consumers_;
};

}  // namespace

Status InputRemap::Init(const Graph* graph, const std::map<std::string, Output>& input_map) {
  for (const auto& [key, output] : input_map) {
    if (!output.valid() || output.graph() != graph) {
      return InvalidArgument("input_map: the value of '", key,
                             "' is not an element of this graph.");
    }
    const TensorRef ref = TensorRef::Parse(key);
    by_ref_.emplace(ref.ToString(), entries_.size());
    const int32_t index = ref.is_control() ? Endpoint::kControl : output.index();
    entries_.push_back({ref.ToString(), {output.op().id(), index}});
  }
  return OkStatus();
}

const Endpoint* InputRemap::Find(const TensorRef& ref) {
  auto it = by_ref_.find(ref.ToString());
  if (it == by_ref_.end()) return nullptr;
  entries_[it->second].used = true;
  return &entries_[it->second].target;
}

Status ImportEdges::Init(const GraphDefView& def, const ImportNames& names, NodeId base,
                         InputRemap* remap) {
  RAMET_RETURN_IF_ERROR(Read(def, names, base, remap));
  return Sort(def, base);
}

Status ImportEdges::Read(const GraphDefView& def, const ImportNames& names, NodeId base,
                         InputRemap* remap) {
  ranges_.reserve(static_cast<size_t>(def.node_size()));
  edges_.reserve(static_cast<size_t>(def.node_size()) * 2);
  for (const NodeView& node : def.nodes()) {
    Range range{static_cast<int32_t>(edges_.size()), 0, 0};
    for (std::string_view input : node.inputs) {
      const TensorRef ref = TensorRef::Parse(input);
      if (ref.is_control()) {
        ++range.num_controls;
      } else if (range.num_controls > 0) {
        return InvalidArgument("Node '", node.name,
                               "': Control dependencies must come after regular dependencies");
      } else {
        ++range.num_inputs;
      }
      if (const Endpoint* replacement = remap->empty() ? nullptr : remap->Find(ref)) {
        edges_.push_back(*replacement);
        continue;
      }
      const int32_t producer = names.Find(ref.node);
      if (producer < 0) {
        return InvalidArgument("Node '", node.name, "': Unknown input node '", input, "'");
      }
      edges_.push_back({base + producer, ref.index});
    }
    ranges_.push_back(range);
  }
  return OkStatus();
}

Status ImportEdges::Sort(const GraphDefView& def, NodeId base) {
  Sorter sorter(def, edges_, ranges_, base);
  order_.resize(ranges_.size());
  std::iota(order_.begin(), order_.end(), 0);
  ranks_ = order_;
  if (sorter.FileOrderWillDo()) return OkStatus();
  order_ = sorter.Run();
  const size_t stuck = ranges_.size() - order_.size();
  if (stuck > 0) {
    return InvalidArgument(stuck, " nodes in a cycle, Node '", def.node(sorter.Stuck()).name,
                           "' is in or after the cycle; a loop must close through NextIteration "
                           "and Merge");
  }
  Permute(base);
  return OkStatus();
}

void ImportEdges::Permute(NodeId base) {
  for (size_t i = 0; i < order_.size(); ++i) ranks_[order_[i]] = static_cast<int32_t>(i);
  std::vector<Endpoint> edges;
  std::vector<Range> ranges;
  edges.reserve(edges_.size());
  ranges.reserve(ranges_.size());
  for (int32_t position : order_) {
    const Range& old = ranges_[position];
    ranges.push_back({static_cast<int32_t>(edges.size()), old.num_inputs, old.num_controls});
    for (int32_t e = old.first; e < old.first + old.num_inputs + old.num_controls; ++e) {
      Endpoint edge = edges_[e];
      if (edge.node >= base) edge.node = base + ranks_[edge.node - base];
      edges.push_back(edge);
    }
  }
  edges_ = std::move(edges);
  ranges_ = std::move(ranges);
}

}  // namespace ramet
