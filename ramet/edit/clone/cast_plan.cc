#include "ramet/edit/clone/cast_plan.h"

#include "ramet/edit/clone/dtype_changes.h"
#include "ramet/edit/clone/handle_makers.h"

namespace ramet {

Status CastPlan::Plan(const DtypeChanges& changes, const HandleMakers& makers) {
  for (NodeId id : selection_.nodes()) {
    RAMET_RETURN_IF_ERROR(AddInputCasts(id, changes, !makers.Of(id).empty()));
  }
  AddOutputCasts(changes);
  return OkStatus();
}

Status CastPlan::AddInputCasts(NodeId id, const DtypeChanges& changes, bool takes_handles) {
  const NodeRecord& node = impl_.nodes[id];
  std::vector<DType> wanted;
  if (const DtypeChanges::Change* change = changes.Find(id)) {
    RAMET_ASSIGN_OR_RETURN(wanted,
                           node.op->schema().Expand(node.op->schema().inputs, *change->attrs));
  }
  for (int32_t i = 0; i < node.num_inputs; ++i) {
    const StrippedParts& stripped = selection_.stripped();
    const Endpoint e = stripped.Unspliced(stripped.InputOf(id, i));
    const DType have = BaseType(changes.TypeOf(e));
    const bool known = static_cast<size_t>(i) < wanted.size();
    const DType want = known ? wanted[static_cast<size_t>(i)] : impl_.output(e).dtype;
    if (have == BaseType(want)) continue;
    if (IsRef(want) && (known || takes_handles)) {
      return InvalidArgument("clone: dtype: '", node.name, "' needs references of one dtype, but '",
                             impl_.nodes[e.node].name, "' would be ", DTypeName(have), ", not ",
                             DTypeName(BaseType(want)));
    }
    auto& casts = casts_of_[id];
    casts.resize(static_cast<size_t>(node.num_inputs), -1);
    casts[static_cast<size_t>(i)] = Add({e, have, BaseType(want), id});
  }
  return OkStatus();
}

void CastPlan::AddOutputCasts(const DtypeChanges& changes) {
  for (Endpoint e : selection_.boundary().outputs()) {
    const DType type = changes.TypeOf(e);
    const DType have = BaseType(type), want = BaseType(impl_.output(e).dtype);
    if (have != want && !IsRef(type)) output_casts_.emplace_back(e, Add({e, have, want, -1}));
  }
}

int32_t CastPlan::Add(const Cast& cast) {
  const auto position = static_cast<int32_t>(casts_.size());
  auto [it, added] = ids_.try_emplace({EndpointKey(cast.from), cast.dtype}, position);
  if (added) casts_.push_back(cast);
  return it->second;
}

int32_t CastPlan::Find(Endpoint from, DType dtype) const {
  const auto found = ids_.find({EndpointKey(from), dtype});
  return found == ids_.end() ? -1 : found->second;
}

const std::vector<int32_t>* CastPlan::CastsOf(NodeId reader) const {
  auto found = casts_of_.find(reader);
  return found == casts_of_.end() ? nullptr : &found->second;
}

}  // namespace ramet
