#include "ramet/edit/clone/dtype_rules.h"

#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

Status CheckRule(const CloneDtype::Map& rule) {
  for (const auto& [from, to] : rule) {
    for (DType t : {from, to}) {
      if (IsFloating(t) && !IsRef(t)) continue;
      return InvalidArgument("clone: dtype: ", DTypeName(from), " to ", DTypeName(to),
                             ": only half, bfloat16, float and double can be changed");
    }
  }
  return OkStatus();
}

}  // namespace

Status DtypeRules::Evaluate() {
  if (const auto* map = std::get_if<Map>(&dtype_.rule())) return CheckRule(*map);
  const auto& function = std::get<CloneDtype::Function>(dtype_.rule());
  for (NodeId id : selection_.nodes()) {
    positions_[id] = evaluated_.size();
    RAMET_RETURN_IF_ERROR(
        CheckRule(evaluated_.emplace_back(function(Operation(selection_.source(), id)))));
  }
  return OkStatus();
}

const CloneDtype::Map& DtypeRules::Of(NodeId id) const {
  if (const auto* map = std::get_if<Map>(&dtype_.rule())) return *map;
  auto merge = merges_.find(id);
  auto position = positions_.find(merge == merges_.end() ? id : merge->second);
  return position == positions_.end() ? no_rule_ : evaluated_[position->second];
}

void DtypeRules::UnifyLoops() {
  const GraphData& impl = selection_.impl();
  auto part_of = [&](NodeId id) { return ControlFlowOf(*impl.nodes[id].op); };
  for (NodeId id : selection_.nodes()) {
    const ControlFlow part = part_of(id);
    if (part == ControlFlow::kMerge) {
      for (Endpoint e : impl.inputs(id)) {
        const ControlFlow of = part_of(e.node);
        if (of == ControlFlow::kEnter || of == ControlFlow::kNextIteration) merges_[e.node] = id;
      }
    } else if (part == ControlFlow::kSwitch || part == ControlFlow::kExit) {
      const NodeId from = impl.inputs(id)[0].node;
      const auto of = merges_.find(from);
      if (of != merges_.end()) {
        merges_[id] = of->second;
      } else if (part_of(from) == ControlFlow::kMerge) {
        merges_[id] = from;
      }
    }
  }
}

}  // namespace ramet
