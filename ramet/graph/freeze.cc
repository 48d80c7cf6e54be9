#include "ramet/graph/freeze.h"

#include <google/protobuf/arena.h>

#include <unordered_map>
#include <unordered_set>

#include "ramet/graph/freeze_proto.h"
#include "ramet/graph/import_names.h"
#include "ramet/graph/message_file.h"

namespace ramet {
namespace {

using google::protobuf::Arena;
using NameSet = std::unordered_set<std::string_view>;

constexpr std::string_view kGroupPrefix = "loc:@";

// Calls visit(name) for the nodes that `node` is colocated with.
template <class Visit>
void ForEachGroup(const NodeDef& node, Visit visit) {
  auto classes = node.attr().find("_class");
  if (classes == node.attr().end()) return;
  for (const std::string& group : classes->second.list().s()) {
    std::string_view name = group;
    if (name.starts_with(kGroupPrefix)) name.remove_prefix(kGroupPrefix.size());
    visit(name);
  }
}

// The part of a graph that some nodes need.
class SubGraph {
 public:
  explicit SubGraph(const GraphDef& def) : def_(def), kept_(def.node_size(), false) {
    positions_.reserve(static_cast<size_t>(def.node_size()));
    for (int i = 0; i < def.node_size(); ++i) positions_.emplace(def.node(i).name(), i);
  }

  Status Mark(const std::vector<std::string>& nodes) {
    for (const std::string& name : nodes) {
      if (!Push(name)) return NotFound(name, " is not in graph");
    }
    while (!open_.empty()) {
      const NodeDef& node = def_.node(open_.back());
      open_.pop_back();
      for (const std::string& input : node.input()) {
        if (Push(TensorRef::Parse(input).node)) continue;
        return InvalidArgument("Node '", node.name(), "': Unknown input node '", input, "'");
      }
      Status colocated;
      ForEachGroup(node, [&](std::string_view name) {
        if (Push(name)) return;
        colocated.Update(InvalidArgument(
            "Node '", node.name(), "' expects to be colocated with unknown node '", name, "'"));
      });
      RAMET_RETURN_IF_ERROR(colocated);
    }
    return OkStatus();
  }
  bool kept(int i) const { return kept_[i]; }

 private:
  // Returns false if there is no such node.
  bool Push(std::string_view name) {
    auto it = positions_.find(name);
    if (it == positions_.end()) return false;
    if (!kept_[it->second]) open_.push_back(it->second);
    kept_[it->second] = true;
    return true;
  }

  const GraphDef& def_;
  std::unordered_map<std::string_view, int> positions_;
  std::vector<bool> kept_;
  std::vector<int> open_;
};

// Copies the nodes of `def` except the removed ones. Inputs from those are dropped.
void CopyWithout(const GraphDef& def, const NameSet& removed, GraphDef* part) {
  for (const NodeDef& node : def.node()) {
    if (removed.contains(node.name())) continue;
    NodeDef* copy = part->add_node();
    *copy = node;
    copy->clear_input();
    for (const std::string& input : node.input()) {
      const std::string_view name = std::string_view(input).substr(input.starts_with('^') ? 1 : 0);
      if (!removed.contains(name)) copy->add_input(input);
    }
  }
}

// Returns the nodes whose outputs are read.
NameSet DataSources(const GraphDef& def) {
  NameSet sources;
  for (const NodeDef& node : def.node()) {
    for (const std::string& input : node.input()) {
      if (!input.starts_with('^')) sources.insert(TensorRef::Parse(input).node);
    }
  }
  return sources;
}

// Removes pass-through nodes from a graph and connects their inputs to their readers.
class Splicer {
 public:
  Splicer(const GraphDef& def, const NameSet& kept, bool checks) {
    NameSet with_control, colocated;
    for (const NodeDef& node : def.node()) {
      for (const std::string& input : node.input()) {
        if (!input.starts_with('^')) continue;
        with_control.insert(std::string_view(input).substr(1));
        with_control.insert(node.name());
      }
      ForEachGroup(node, [&](std::string_view name) { colocated.insert(name); });
    }
    for (const NodeDef& node : def.node()) {
      const bool passes = node.op() == "Identity" || node.op() == "StopGradient" ||
                          (checks && node.op() == "CheckNumerics");
      const bool spliced = passes && !kept.contains(node.name()) &&
                           !colocated.contains(node.name()) && !with_control.contains(node.name());
      if (spliced) nodes_.emplace(node.name(), &node);
    }
  }

  bool Removes(const std::string& name) const { return nodes_.contains(name); }

  // Returns the input that replaces `input` after the removal.
  StatusOr<std::string> Source(const std::string& input) const {
    const std::string* at = &input;
    for (size_t steps = 0;; ++steps) {
      const std::string_view name = std::string_view(*at).substr(at->starts_with('^') ? 1 : 0);
      auto it = nodes_.find(name);
      if (it == nodes_.end()) return *at;
      if (it->second->input().empty()) {
        return InvalidArgument("Node '", name, "' (", it->second->op(), ") has no input");
      }
      if (steps > nodes_.size()) return InvalidArgument("Node '", name, "' is in a cycle");
      at = &it->second->input(0);
    }
  }

 private:
  std::unordered_map<std::string_view, const NodeDef*> nodes_;
};

// Runs `make` (GraphDef in, GraphDef out) on bytes.
template <class Make>
StatusOr<std::string> Transform(std::string_view graph_def, Make make) {
  Arena arena;
  auto* def = Arena::CreateMessage<GraphDef>(&arena);
  auto* made = Arena::CreateMessage<GraphDef>(&arena);
  RAMET_RETURN_IF_ERROR(ParseMessage(graph_def, "GraphDef", def));
  RAMET_RETURN_IF_ERROR(make(*def, made));
  return MessageToBytes(*made, false);
}

}  // namespace

Status ExtractSubGraphProto(const GraphDef& def, const std::vector<std::string>& nodes,
                            GraphDef* part) {
  SubGraph sub_graph(def);
  RAMET_RETURN_IF_ERROR(sub_graph.Mark(nodes));
  part->Clear();
  for (int i = 0; i < def.node_size(); ++i) {
    if (sub_graph.kept(i)) *part->add_node() = def.node(i);
  }
  *part->mutable_library() = def.library();
  *part->mutable_versions() = def.versions();
  return OkStatus();
}

Status RemoveTrainingNodesProto(const GraphDef& def,
                                const std::vector<std::string>& protected_nodes, bool as_tensorflow,
                                GraphDef* part) {
  const NameSet kept(protected_nodes.begin(), protected_nodes.end());
  const NameSet read = DataSources(def);
  NameSet checks;
  for (const NodeDef& node : def.node()) {
    const bool removed = as_tensorflow || !read.contains(node.name());
    if (removed && node.op() == "CheckNumerics" && !kept.contains(node.name())) {
      checks.insert(node.name());
    }
  }
  GraphDef unchecked;
  CopyWithout(def, checks, &unchecked);
  const Splicer splicer(unchecked, kept, !as_tensorflow);
  part->Clear();
  for (const NodeDef& node : unchecked.node()) {
    if (splicer.Removes(node.name())) continue;
    NodeDef* copy = part->add_node();
    *copy = node;
    for (std::string& input : *copy->mutable_input()) {
      RAMET_ASSIGN_OR_RETURN(input, splicer.Source(input));
    }
  }
  if (as_tensorflow) return OkStatus();
  *part->mutable_library() = def.library();
  *part->mutable_versions() = def.versions();
  return OkStatus();
}

StatusOr<std::string> ExtractSubGraph(std::string_view graph_def,
                                      const std::vector<std::string>& nodes) {
  return Transform(graph_def, [&](const GraphDef& def, GraphDef* part) {
    return ExtractSubGraphProto(def, nodes, part);
  });
}

StatusOr<std::string> RemoveTrainingNodes(std::string_view graph_def,
                                          const std::vector<std::string>& protected_nodes,
                                          bool as_tensorflow) {
  return Transform(graph_def, [&](const GraphDef& def, GraphDef* part) {
    return RemoveTrainingNodesProto(def, protected_nodes, as_tensorflow, part);
  });
}

StatusOr<std::string> ReplaceVariables(std::string_view graph_def,
                                       const std::map<std::string, Tensor>& values) {
  return Transform(graph_def, [&](const GraphDef& def, GraphDef* frozen) {
    *frozen = def;
    return ReplaceVariablesProto(values, frozen);
  });
}

}  // namespace ramet
