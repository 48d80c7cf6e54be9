#include "ramet/edit/clone/copied_edges.h"

#include <algorithm>

#include "ramet/graph/edit_graph.h"

namespace ramet {

CopiedEdges::CopiedEdges(const CloneSelection& selection, const CloneDtypes& dtypes,
                         CloneMapping& mapping)
    : selection_(selection),
      dtypes_(dtypes),
      mapping_(mapping),
      source_(GraphDataOf(*mapping.source)),
      target_(MutableGraphDataOf(*mapping.target)) {}

void CopiedEdges::NumberNodes() {
  first_ = static_cast<NodeId>(target_.nodes.size());
  NodeId next = first_;
  for (Endpoint cut : selection_.boundary().cuts()) {
    mapping_.replaced[EndpointKey(cut)] = {next, 0};
    replacements_[cut.node].push_back(next++);
  }
  for (const auto& [tensor, by] : selection_.boundary().replacements()) {
    mapping_.replaced[EndpointKey(tensor)] = {by.op().id(), by.index()};
    replacements_[tensor.node].push_back(by.op().id());
  }
  mapping_.copies.assign(source_.nodes.size(), -1);
  for (NodeId id : selection_.nodes()) mapping_.copies[static_cast<size_t>(id)] = next++;
  NumberSplices();
  NumberCasts(next);
}

void CopiedEdges::NumberSplices() {
  for (const auto& [key, from] : selection_.stripped().splices()) {
    const Endpoint e = selection_.stripped().Unspliced(from);
    // Nothing reads the result of a pass-through whose input is not in the target graph.
    const bool exists =
        mapping_.same_graph() || mapping_.IsCloned(e.node) || mapping_.IsReplaced(e);
    if (exists) mapping_.replaced[key] = Mapped(e);
  }
}

void CopiedEdges::NumberCasts(NodeId first) {
  first_cast_ = first;
  for (const auto& [e, cast] : dtypes_.casts().output_casts()) {
    mapping_.restored_dtypes[EndpointKey(e)] = {CastId(cast), 0};
  }
}

Status CopiedEdges::CheckOutsideInputs() const {
  if (mapping_.same_graph()) return OkStatus();
  const StrippedParts& stripped = selection_.stripped();
  for (NodeId id : selection_.nodes()) {
    for (int32_t i = 0; i < source_.nodes[id].num_inputs; ++i) {
      const Endpoint e = stripped.Unspliced(stripped.InputOf(id, i));
      if (mapping_.IsCloned(e.node) || mapping_.IsReplaced(e)) continue;
      return InvalidArgument("clone: inputs: node '", source_.nodes[id].name, "' reads '",
                             source_.nodes[e.node].name, ":", e.index,
                             "', which is not cloned into the target graph; add it to inputs "
                             "(it becomes a placeholder) or to input_map");
    }
  }
  return OkStatus();
}

Endpoint CopiedEdges::Mapped(Endpoint e) const {
  if (mapping_.IsReplaced(e)) return mapping_.replaced.at(EndpointKey(e));
  const NodeId copy = mapping_.Copy(e.node);
  return {copy >= 0 ? copy : e.node, e.index};
}

void CopiedEdges::Append(NodeId id, NodeRecord* copy) const {
  const NodeRecord& original = source_.nodes[id];
  copy->first_edge = static_cast<int32_t>(target_.edges.size());
  const std::vector<int32_t>* casts = dtypes_.none() ? nullptr : dtypes_.casts().CastsOf(id);
  for (int32_t i = 0; i < original.num_inputs; ++i) {
    const int32_t cast = casts == nullptr ? -1 : (*casts)[static_cast<size_t>(i)];
    target_.edges.push_back(cast >= 0 ? Endpoint{CastId(cast), 0}
                                      : Mapped(selection_.stripped().InputOf(id, i)));
  }
  const size_t first_control = target_.edges.size();
  for (int32_t i = 0; i < original.num_controls; ++i) {
    const int32_t edge = original.first_edge + original.num_inputs + i;
    AppendControl(source_.edges[static_cast<size_t>(edge)].node, first_control);
  }
  copy->num_controls = static_cast<int32_t>(target_.edges.size() - first_control);
}

// A node that waits for an operation waits for its copy, or for the replacements of its tensors,
// or, in the same graph, for the operation itself.
void CopiedEdges::AppendControl(NodeId control, size_t first) const {
  auto add = [&](NodeId id) {
    const Endpoint e{id, Endpoint::kControl};
    const auto begin = target_.edges.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::find(begin, target_.edges.end(), e) == target_.edges.end()) target_.edges.push_back(e);
  };
  if (selection_.stripped().IsStripped(control)) return;
  const NodeId mapped = mapping_.Copy(control);
  if (mapped >= 0) {
    target_.edges.push_back({mapped, Endpoint::kControl});
    return;
  }
  auto replaced = replacements_.find(control);
  if (replaced != replacements_.end()) {
    for (NodeId id : replaced->second) add(id);
  } else if (mapping_.same_graph()) {
    add(control);
  }
}

}  // namespace ramet
