#include "ramet/edit/clone/node_name_block.h"

#include "ramet/graph/edit_graph.h"

namespace ramet {

Status NodeNameBlock::Write(const CloneSelection& selection, const CloneDtypes& dtypes,
                            NodeId first, CloneNames* names) {
  const GraphData& source = selection.impl();
  const CloneBoundary& boundary = selection.boundary();
  first_ = first;
  std::string block;
  const std::vector<CastPlan::Cast>& casts = dtypes.casts().casts();
  ends_.reserve(boundary.cuts().size() + selection.nodes().size() + casts.size());
  size_t bytes = 0;
  for (NodeId id : selection.nodes()) bytes += source.nodes[id].name.size();
  block.reserve(bytes + selection.nodes().size() * (names->scope().size() + 1));
  for (Endpoint cut : boundary.cuts()) {
    std::string name(source.nodes[cut.node].name);
    if (cut.index > 0 || mapping_.IsCloned(cut.node)) {
      name += StrCat("_", cut.index);
      names->ExpectCollisions();
    }
    const ClonePlaceholder* requested = boundary.RequestedPlaceholder(cut);
    const bool named = requested != nullptr && !requested->name.empty();
    RAMET_RETURN_IF_ERROR(names->AppendNode(named ? requested->name : name, &block));
    ends_.push_back(block.size());
  }
  for (NodeId id : selection.nodes()) {
    RAMET_RETURN_IF_ERROR(names->AppendNode(source.nodes[id].name, &block));
    ends_.push_back(block.size());
  }
  for (const CastPlan::Cast& cast : casts) {
    const std::string name = StrCat(source.nodes[cast.from.node].name, "/Cast");
    RAMET_RETURN_IF_ERROR(names->AppendNode(name, &block));
    ends_.push_back(block.size());
  }
  block_ = KeepNames(*mapping_.target, std::move(block));
  return OkStatus();
}

std::string_view NodeNameBlock::Of(NodeId new_node) const {
  const size_t position = static_cast<size_t>(new_node - first_);
  const size_t begin = position == 0 ? 0 : ends_[position - 1];
  return block_.substr(begin, ends_[position] - begin);
}

}  // namespace ramet
