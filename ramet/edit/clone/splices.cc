#include "ramet/edit/clone/splices.h"

#include <string_view>
#include <unordered_set>

#include "ramet/graph/while_context.h"
#include "ramet/op/colocation.h"

namespace ramet {
namespace {

// Decides which nodes must stay.
class SpliceRules {
 public:
  SpliceRules(const GraphData& impl, const CloneBoundary& boundary,
              const std::vector<uint8_t>& selected);
  bool MaySplice(NodeId id) const;

 private:
  void NoteOutputs();
  void NoteControls(NodeId id);
  void NoteLeaders(NodeId id);

  const GraphData& impl_;
  const CloneBoundary& boundary_;
  std::unordered_set<NodeId> outputs_;  // requested ones, and values of variables
  std::vector<uint8_t> has_controls_;   // by id: has control edges, in or out
  std::unordered_set<std::string_view> leaders_;
};

SpliceRules::SpliceRules(const GraphData& impl, const CloneBoundary& boundary,
                         const std::vector<uint8_t>& selected)
    : impl_(impl), boundary_(boundary), has_controls_(impl.nodes.size(), 0) {
  NoteOutputs();
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (selected[static_cast<size_t>(id)] == 0) continue;
    NoteControls(id);
    NoteLeaders(id);
  }
}

void SpliceRules::NoteOutputs() {
  for (Endpoint e : boundary_.outputs()) outputs_.insert(e.node);
  for (const VariableRecord& v : impl_.variables) {
    for (const Output& o : {v.snapshot, v.initial_value}) {
      if (o.valid()) outputs_.insert(o.op().id());
    }
  }
}

void SpliceRules::NoteControls(NodeId id) {
  for (Endpoint e : impl_.controls(id)) {
    has_controls_[static_cast<size_t>(id)] = has_controls_[static_cast<size_t>(e.node)] = 1;
  }
}

void SpliceRules::NoteLeaders(NodeId id) {
  const Attr* attr = impl_.nodes[id].attrs->Find("_class");
  const auto* groups = attr == nullptr ? nullptr : attr->get<std::vector<std::string>>();
  if (groups == nullptr) return;
  for (const std::string& g : *groups) {
    if (!g.starts_with(kColocationPrefix)) continue;
    leaders_.insert(std::string_view(g).substr(kColocationPrefix.size()));
  }
}

bool SpliceRules::MaySplice(NodeId id) const {
  const NodeRecord& node = impl_.nodes[id];
  const std::string& op = node.op->name();
  const bool checks = op == "CheckNumerics";
  if (!checks && op != "Identity" && op != "StopGradient") return false;
  if (outputs_.contains(id) || impl_.build_state.control_flow.context_of.contains(id)) return false;
  if (leaders_.contains(node.name)) return false;
  if (!checks && has_controls_[static_cast<size_t>(id)] != 0) return false;
  return !IsRef(impl_.output(impl_.inputs(id)[0]).dtype) && !boundary_.HasCut(id);
}

}  // namespace

void SplicePassThroughs(const GraphData& impl, const CloneBoundary& boundary,
                        std::vector<uint8_t>* selected, StrippedParts* stripped) {
  const SpliceRules rules(impl, boundary, *selected);
  for (NodeId id = 0; id < static_cast<NodeId>(impl.nodes.size()); ++id) {
    uint8_t& mark = (*selected)[static_cast<size_t>(id)];
    if (mark == 0 || !rules.MaySplice(id)) continue;
    stripped->Splice(id, impl.inputs(id)[0]);
    mark = 0;
  }
  stripped->ShortenSplices();
}

}  // namespace ramet
