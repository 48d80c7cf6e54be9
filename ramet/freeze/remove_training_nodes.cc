#include "ramet/freeze/remove_training_nodes.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ramet/freeze/colocations.h"
#include "ramet/wire/tensor_ref.h"

namespace ramet {
namespace {

using NameSet = std::unordered_set<std::string_view>;

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
      freeze::ForEachColocated(node, [&](std::string_view name) { colocated.insert(name); });
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

}  // namespace

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

}  // namespace ramet
