#include "ramet/edit/clone/dtype_changes.h"

#include <algorithm>

#include "ramet/edit/clone/dtype_attrs.h"
#include "ramet/edit/clone/dtype_rules.h"
#include "ramet/edit/clone/fixed_dtypes.h"
#include "ramet/edit/clone/handle_makers.h"

namespace ramet {
namespace {

// Computes the attrs that the rules give to operations. An operation on state obeys the rule of the
// operation that made the state.
class AttrPlanner {
 public:
  AttrPlanner(const CloneSelection& selection, const DtypeRules& rules, const HandleMakers& makers,
              FixedDtypes* fixed)
      : selection_(selection), rules_(rules), makers_(makers), fixed_(*fixed) {}

  StatusOr<std::shared_ptr<const AttrMap>> Attrs(NodeId id) const {
    return ChangeDtypes(selection_.impl().nodes[id], RuleOf(id));
  }
  bool LosesKernel(NodeId id, const AttrMap& changed) const;
  Status FixStateWithoutKernels();

 private:
  const CloneDtype::Map& RuleOf(NodeId id) const;
  bool IsFixed(NodeId state) const {
    return state == HandleMakers::kOutside || !selection_.IsSelected(state) ||
           fixed_.Contains(state);
  }

  const CloneDtype::Map no_rule_;
  const CloneSelection& selection_;
  const DtypeRules& rules_;
  const HandleMakers& makers_;
  FixedDtypes& fixed_;
};

const CloneDtype::Map& AttrPlanner::RuleOf(NodeId id) const {
  const std::vector<NodeId>& makers = makers_.Of(id);
  if (makers.empty()) return fixed_.Contains(id) ? no_rule_ : rules_.Of(id);
  return IsFixed(makers.front()) ? no_rule_ : rules_.Of(makers.front());
}

bool AttrPlanner::LosesKernel(NodeId id, const AttrMap& changed) const {
  const NodeRecord& node = selection_.impl().nodes[id];
  return &changed != node.attrs.get() && node.op->HasKernel("CPU", *node.attrs) &&
         !node.op->HasKernel("CPU", changed);
}

// State keeps its dtype if one of the operations on it would have no kernel. So does all other
// state that such an operation takes.
Status AttrPlanner::FixStateWithoutKernels() {
  for (bool more = true; more;) {
    more = false;
    for (const auto& [id, makers] : makers_.all()) {
      bool fix =
          makers.size() > 1 && std::ranges::any_of(makers, [&](NodeId m) { return IsFixed(m); });
      if (!fix) {
        RAMET_ASSIGN_OR_RETURN(const auto attrs, Attrs(id));
        fix = LosesKernel(id, *attrs);
      }
      for (NodeId m : makers) {
        if (fix && m != HandleMakers::kOutside && selection_.IsSelected(m) && fixed_.AddState(m)) {
          more = true;
        }
      }
    }
  }
  return OkStatus();
}

}  // namespace

Status DtypeChanges::Plan(const DtypeRules& rules, const HandleMakers& makers, FixedDtypes* fixed) {
  FindOutsideDtypes();
  AttrPlanner planner(selection_, rules, makers, fixed);
  RAMET_RETURN_IF_ERROR(planner.FixStateWithoutKernels());
  for (NodeId id : selection_.nodes()) {
    RAMET_ASSIGN_OR_RETURN(const auto attrs, planner.Attrs(id));
    if (attrs == impl_.nodes[id].attrs) continue;
    if (makers.Of(id).empty() && planner.LosesKernel(id, *attrs)) continue;
    RAMET_RETURN_IF_ERROR(Add(id, attrs));
  }
  return OkStatus();
}

void DtypeChanges::FindOutsideDtypes() {
  for (const auto& [e, by] : selection_.boundary().replacements()) {
    const GraphData& target = GraphDataOf(*by.graph());  // by.dtype() would lock it
    outside_[EndpointKey(e)] = target.output({by.op().id(), by.index()}).dtype;
  }
  for (Endpoint e : selection_.boundary().cuts()) {
    outside_[EndpointKey(e)] = BaseType(impl_.output(e).dtype);
  }
}

Status DtypeChanges::Add(NodeId id, std::shared_ptr<const AttrMap> attrs) {
  const NodeRecord& node = impl_.nodes[id];
  const OpSchema& schema = node.op->schema();
  auto fail = [&](const Status& s) {
    return s.WithContext(StrCat("clone: dtype: node '", node.name, "'"));
  };
  if (Status s = schema.CheckAttrs(*attrs); !s.ok()) return fail(s);
  auto outputs = schema.Expand(schema.outputs, *attrs);
  if (!outputs.ok()) return fail(outputs.status());
  outputs->resize(static_cast<size_t>(node.num_outputs), DType::kInvalid);
  changes_[id] = {std::move(attrs), *std::move(outputs)};
  return OkStatus();
}

const DtypeChanges::Change* DtypeChanges::Find(NodeId id) const {
  const auto change = changes_.empty() ? changes_.end() : changes_.find(id);
  return change == changes_.end() ? nullptr : &change->second;
}

const std::shared_ptr<const AttrMap>& DtypeChanges::Attrs(NodeId id) const {
  const Change* change = Find(id);
  return change == nullptr ? impl_.nodes[id].attrs : change->attrs;
}

DType DtypeChanges::TypeOf(Endpoint e) const {
  if (empty()) return impl_.output(e).dtype;
  e = selection_.stripped().Unspliced(e);
  auto outside = outside_.find(EndpointKey(e));
  if (outside != outside_.end()) return outside->second;
  const Change* change = Find(e.node);
  if (change == nullptr) return impl_.output(e).dtype;
  return change->outputs[static_cast<size_t>(e.index)];
}

}  // namespace ramet
