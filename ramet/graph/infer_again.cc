#include "ramet/graph/infer_again.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "ramet/base/run_interrupt.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/graph/shape_inference.h"

namespace ramet {
namespace {

// How often the values that a loop passes back may change the shapes of its variables. After that,
// these are unknown.
constexpr int kMaxRounds = 4;
constexpr int64_t kFoldingWork = int64_t{1} << 24;
// How many nodes are inferred between two looks for an interrupt.
constexpr size_t kNodesPerCheck = 256;

enum class Change : uint8_t { kNone, kRefined, kOther };

bool IsNextIteration(const NodeRecord& node) {
  return node.op->name() == "NextIteration" || node.op->name() == "RefNextIteration";
}

// Infers the new nodes of a graph that depend on changed tensors, in topological order. A loop's
// values of the next iteration start another round at the Merge that reads them.
class ShapeUpdate {
 public:
  ShapeUpdate(GraphImpl& impl, NodeId first)
      : impl_(impl),
        first_(first),
        first_output_(impl.nodes[static_cast<size_t>(first)].first_output),
        changes_(impl.outputs.size() - static_cast<size_t>(first_output_), Change::kNone) {}

  Status Run(const std::vector<ChangedTensor>& changed) {
    for (const ChangedTensor& c : changed) {
      Note(c.tensor, c.refined ? Change::kRefined : Change::kOther);
    }
    std::vector<NodeId> starts = FindReaders();
    for (int round = 1; !starts.empty(); ++round) {
      if (round > kMaxRounds) loosen_.insert(starts.begin(), starts.end());
      RAMET_ASSIGN_OR_RETURN(starts, Round(starts));
      if (!loosen_.empty()) break;
    }
    return OkStatus();
  }

 private:
  size_t Position(NodeId id) const { return static_cast<size_t>(id - first_); }
  size_t NumNodes() const { return impl_.nodes.size() - static_cast<size_t>(first_); }

  Change& New(Endpoint e) {
    const int32_t output = impl_.nodes[static_cast<size_t>(e.node)].first_output + e.index;
    return changes_[static_cast<size_t>(output - first_output_)];
  }
  void Note(Endpoint e, Change change) {
    Change& known = e.node >= first_ ? New(e) : outside_[EndpointKey(e)];
    known = std::max(known, change);
  }
  Change ChangeOf(Endpoint e) {
    if (e.node >= first_) return New(e);
    const auto found = outside_.find(EndpointKey(e));
    return found == outside_.end() ? Change::kNone : found->second;
  }

  // Finds the readers of each new node. Returns the readers of changed tensors.
  std::vector<NodeId> FindReaders() {
    std::vector<NodeId> starts;
    begin_.assign(NumNodes() + 1, 0);
    const auto for_each_edge = [&](auto&& visit) {
      for (NodeId id = first_; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
        for (Endpoint e : impl_.inputs(id)) {
          const bool back = IsNextIteration(impl_.nodes[static_cast<size_t>(e.node)]);
          if (e.node >= first_ && !back) visit(Position(e.node), id);
        }
      }
    };
    for_each_edge([&](size_t from, NodeId) { ++begin_[from + 1]; });
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    readers_.resize(static_cast<size_t>(begin_.back()));
    std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
    for_each_edge(
        [&](size_t from, NodeId to) { readers_[static_cast<size_t>(next[from]++)] = to; });
    for (NodeId id = first_; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
      bool any = false;
      for (Endpoint e : impl_.inputs(id)) {
        any |= ChangeOf(e) != Change::kNone;
        const bool back = IsNextIteration(impl_.nodes[static_cast<size_t>(e.node)]);
        if (e.node >= first_ && back) merges_[e.node].push_back(id);
      }
      if (any) starts.push_back(id);
    }
    return starts;
  }

  std::span<const NodeId> ReadersOf(NodeId id) const {
    const auto at = static_cast<size_t>(begin_[Position(id)]);
    return std::span(readers_).subspan(at, static_cast<size_t>(begin_[Position(id) + 1]) - at);
  }

  // Infers the starts and everything that depends on them. Returns the starts of the next round.
  StatusOr<std::vector<NodeId>> Round(const std::vector<NodeId>& starts) {
    ConstantEvaluator constants(
        impl_, kFoldingWork + ConstantEvaluator::kWorkPerNode * static_cast<int64_t>(NumNodes()));
    std::vector<int32_t> waiting(NumNodes(), 0);  // number of inputs that a node waits for
    std::vector<NodeId> open = Ready(starts, &waiting), next;
    for (size_t inferred = 0; !open.empty(); ++inferred) {
      if (inferred % kNodesPerCheck == 0 && StopDue()) return InterruptedStatus();
      const NodeId id = open.back();
      open.pop_back();
      RAMET_ASSIGN_OR_RETURN(const bool changed, InferAgain(id, constants));
      for (NodeId reader : ReadersOf(id)) {
        if (--waiting[Position(reader)] == 0) open.push_back(reader);
      }
      if (!changed || !merges_.contains(id)) continue;
      for (NodeId merge : merges_.at(id)) next.push_back(merge);
    }
    return next;
  }

  // For each node that depends on the starts, counts the inputs that depend on them, too. Returns
  // the starts without such inputs.
  std::vector<NodeId> Ready(const std::vector<NodeId>& starts, std::vector<int32_t>* waiting) {
    std::vector<bool> seen(NumNodes());
    std::vector<NodeId> behind, ready;
    const auto add = [&](NodeId id) {
      if (!seen[Position(id)]) behind.push_back(id);
      seen[Position(id)] = true;
    };
    for (NodeId id : starts) add(id);
    const size_t num_starts = behind.size();
    for (size_t i = 0; i < behind.size(); ++i) {
      for (NodeId reader : ReadersOf(behind[i])) {
        ++(*waiting)[Position(reader)];
        add(reader);
      }
    }
    for (size_t i = 0; i < num_starts; ++i) {
      if ((*waiting)[Position(behind[i])] == 0) ready.push_back(behind[i]);
    }
    return ready;
  }

  StatusOr<bool> InferAgain(NodeId id, ConstantEvaluator& constants) {
    const NodeRecord& node = impl_.nodes[static_cast<size_t>(id)];
    const auto span = impl_.inputs(id);
    const std::vector<Endpoint> inputs(span.begin(), span.end());
    Change change = Change::kNone;
    for (Endpoint e : inputs) change = std::max(change, ChangeOf(e));
    if (change == Change::kNone) return false;
    if (loosen_.contains(id)) {
      return SetShape({id, 0}, Shape::Unknown(), Change::kOther);
    }
    auto shapes = InferShapes(impl_, constants, *node.op, *node.attrs, inputs, node.num_outputs);
    if (!shapes.ok()) {
      return shapes.status().WithContext(StrCat("node '", node.name, "' (", node.op->name(), ")"));
    }
    const bool infers = node.op->shape_fn() != nullptr || !node.op->registered();
    bool changed = false;
    for (int32_t i = 0; i < node.num_outputs && infers; ++i) {
      changed |= SetShape({id, i}, (*shapes)[static_cast<size_t>(i)], change);
    }
    return changed;
  }

  // Sets the shape of an output of a new node. Returns false if it had this shape.
  bool SetShape(Endpoint e, Shape shape, Change change) {
    Shape& known = impl_.output(e).shape;
    if (change == Change::kRefined) {
      auto merged = known.MergeWith(shape);
      if (merged.ok()) {
        shape = *std::move(merged);
      } else {
        change = Change::kOther;
      }
    }
    const bool same = known == shape;
    if (!same || MayHoldShape(impl_.output(e))) Note(e, change);
    if (same) return false;
    known = std::move(shape);
    return true;
  }

  GraphImpl& impl_;
  const NodeId first_;
  const int32_t first_output_;
  std::vector<Change> changes_;                   // by output of the new nodes
  std::unordered_map<uint64_t, Change> outside_;  // of other tensors
  std::vector<int32_t> begin_;                    // of each node's readers
  std::vector<NodeId> readers_;
  std::unordered_map<NodeId, std::vector<NodeId>> merges_;  // by NextIteration
  std::unordered_set<NodeId> loosen_;                       // Merge nodes that get unknown shapes
};

}  // namespace

bool MayHoldShape(const OutputRecord& output) {
  // Paddings have two dimensions. Any number can be a limit of a range. A handle stands for the
  // shape of a variable or of the elements of a list. A string can be the shape of a slice.
  const DType dtype = BaseType(output.dtype);
  if (dtype == DType::kResource || dtype == DType::kVariant) return true;
  const bool is_integer = dtype == DType::kInt32 || dtype == DType::kInt64;
  const int max_rank = is_integer ? 2 : dtype == DType::kString ? 1 : IsFloating(dtype) ? 0 : -1;
  return max_rank >= 0 && (output.shape.unknown_rank() || output.shape.rank() <= max_rank);
}

Status InferShapesAgain(Graph& graph, NodeId first, const std::vector<ChangedTensor>& changed) {
  GraphImpl& impl = graph.impl();
  if (changed.empty() || static_cast<size_t>(first) >= impl.nodes.size()) return OkStatus();
  return ShapeUpdate(impl, first).Run(changed);
}

}  // namespace ramet
