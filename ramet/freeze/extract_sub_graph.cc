#include "ramet/freeze/extract_sub_graph.h"

#include <string_view>
#include <unordered_map>

#include "ramet/freeze/colocations.h"
#include "ramet/wire/tensor_ref.h"

namespace ramet {
namespace {

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
      freeze::ForEachColocated(node, [&](std::string_view name) {
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

}  // namespace ramet
