#include "ramet/edit/clone_dtypes.h"

#include <algorithm>
#include <array>

#include "ramet/edit/convert_floating.h"
#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

constexpr int kMaxPasses = 1000;

// Reports whether an op's dtypes are determined externally by files or feeds, or its result depends
// on them.
bool TalksToOutside(const std::string& op) {
  static constexpr std::array kNames = {"Bitcast",        "DecodeCSV",   "DecodePaddedRaw",
                                        "DecodeRaw",      "EncodeProto", "ImmutableConst",
                                        "SerializeTensor"};
  static constexpr std::array kPrefixes = {"Placeholder", "Save",  "Restore",
                                           "Parse",       "_Send", "DecodeProto"};
  return std::ranges::count(kNames, op) > 0 ||
         std::ranges::any_of(kPrefixes, [&](const char* p) { return op.starts_with(p); });
}

bool IsControlFlow(const Op& op) {
  const ControlFlow part = ControlFlowOf(op);
  return part != ControlFlow::kNone && part != ControlFlow::kControlTrigger;
}

bool PassesOn(const Op& op) { return op.name() == "Identity" || IsControlFlow(op); }

bool IsHandle(DType t) { return t == DType::kResource || t == DType::kVariant; }

// Reports whether the op runs functions, either host functions or functions of the library.
bool RunsFunctions(const Op& op) {
  if (!op.registered() || op.calls_program()) return true;
  return std::ranges::any_of(op.schema().attrs, [](const AttrSchema& a) {
    return a.type == "func" || a.type == "list(func)";
  });
}

// Reports whether an op converts between complex numbers and their parts. Its Tout must correspond
// to T.
bool JoinsParts(const Op& op) {
  static constexpr std::array kNames = {"Angle", "Complex", "ComplexAbs", "Imag", "Real"};
  return std::ranges::count(kNames, op.name()) > 0;
}

// Reports whether an attr must not change. Batch normalization kernels support scales and averages
// only in float.
bool IsKept(const Op& op, const AttrSchema& schema) {
  return JoinsParts(op) || (schema.name == "U" && op.name().starts_with("FusedBatchNorm"));
}

bool Allows(const AttrSchema& schema, DType t) {
  return schema.allowed_types.empty() || std::ranges::count(schema.allowed_types, t) > 0;
}

DType Mapped(const CloneDtype::Map& rule, const AttrSchema& schema, DType t) {
  auto to = rule.find(t);
  return to != rule.end() && Allows(schema, to->second) ? to->second : t;
}

// Returns the type attr changed by the rule, or nothing if it stays the same.
std::optional<Attr> MappedAttr(const CloneDtype::Map& rule, const AttrSchema& schema,
                               const Attr& attr) {
  if (schema.type == "type") {
    const DType* t = attr.get<DType>();
    if (t == nullptr || Mapped(rule, schema, *t) == *t) return std::nullopt;
    return Attr(Mapped(rule, schema, *t));
  }
  const auto* types = schema.type == "list(type)" ? attr.get<std::vector<DType>>() : nullptr;
  if (types == nullptr) return std::nullopt;
  std::vector<DType> mapped;
  for (DType t : *types) mapped.push_back(Mapped(rule, schema, t));
  if (mapped == *types) return std::nullopt;
  return Attr(std::move(mapped));
}

}  // namespace

CloneDtypes::CloneDtypes(const CloneSelection& selection, const CloneOptions& options)
    : selection_(selection), options_(options), impl_(selection.impl()) {}

Status CloneDtypes::CheckRule(const Map& rule) const {
  for (const auto& [from, to] : rule) {
    for (DType t : {from, to}) {
      if (IsFloating(t) && !IsRef(t)) continue;
      return InvalidArgument("clone: dtype: ", DTypeName(from), " to ", DTypeName(to),
                             ": only half, bfloat16, float and double can be changed");
    }
  }
  return OkStatus();
}

Status CloneDtypes::AskRules() {
  for (const auto& [e, by] : selection_.replacements()) outside_[EndpointKey(e)] = by.dtype();
  if (const auto* map = std::get_if<Map>(&options_.dtype.rule())) return CheckRule(*map);
  const auto& function = std::get<CloneDtype::Function>(options_.dtype.rule());
  for (NodeId id : selection_.nodes()) {
    positions_[id] = asked_.size();
    RAMET_RETURN_IF_ERROR(
        CheckRule(asked_.emplace_back(function(Operation(selection_.source(), id)))));
  }
  return OkStatus();
}

const CloneDtype::Map& CloneDtypes::RuleOf(NodeId id) const {
  if (const auto* map = std::get_if<Map>(&options_.dtype.rule())) return *map;
  auto leader = follows_.find(id);
  auto position = positions_.find(leader == follows_.end() ? id : leader->second);
  return position == positions_.end() ? no_rule_ : asked_[position->second];
}

Status CloneDtypes::Plan() {
  if (none()) return OkStatus();
  for (Endpoint e : selection_.cuts()) {
    outside_[EndpointKey(e)] = BaseType(impl_.output(e).dtype);
  }
  FindInitialValues();
  FindFlows();
  FindLoopValues();
  RAMET_RETURN_IF_ERROR(KeepStateWithoutKernels());
  RAMET_RETURN_IF_ERROR(ChangeNodes());
  return AddCasts();
}

// Finds nodes that only initializers read. They are computed as in the original, since first values
// are the original's, rounded.
void CloneDtypes::FindInitialValues() {
  initial_.assign(impl_.nodes.size(), 1);
  std::vector<uint8_t> is_read(impl_.nodes.size(), 0);
  std::vector<NodeId> stack;
  for (NodeId id : selection_.nodes()) {
    for (Endpoint e : impl_.inputs(id)) is_read[static_cast<size_t>(e.node)] = 1;
  }
  std::unordered_set<NodeId> initializers;
  for (const SelectedVariable& v : selection_.variables()) {
    initializers.insert(v.initializer);
    initial_[static_cast<size_t>(v.node)] = 0;
  }
  auto need = [&](NodeId id) {
    if (!selection_.IsSelected(id) || initializers.contains(id)) return;
    if (std::exchange(initial_[static_cast<size_t>(id)], uint8_t{0}) != 0) stack.push_back(id);
  };
  for (NodeId id : selection_.nodes()) {
    if (is_read[static_cast<size_t>(id)] == 0) need(id);
  }
  for (Endpoint e : selection_.outputs()) need(e.node);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    for (Endpoint e : impl_.inputs(id)) need(e.node);
  }
  for (NodeId id : initializers) {
    if (id >= 0) initial_[static_cast<size_t>(id)] = 0;
  }
}

// Finds flows of TensorArrays, which order their uses and are floats by definition.
void CloneDtypes::FindFlows() {
  flow_.assign(impl_.nodes.size(), 0);
  for (NodeId id : selection_.nodes()) {
    const NodeRecord& node = impl_.nodes[id];
    uint8_t& flow = flow_[static_cast<size_t>(id)];
    if (PassesOn(*node.op) && node.num_inputs > 0) {
      flow = flow_[static_cast<size_t>(impl_.inputs(id)[0].node)];
    } else if (node.op->name().starts_with("TensorArray")) {
      const auto& outputs = node.op->schema().outputs;
      flow = !outputs.empty() && outputs.back().type == kFloat;
    }
  }
}

// Values of a loop have a single dtype from Enter to Exit: that of the Merge.
void CloneDtypes::FindLoopValues() {
  for (NodeId id : selection_.nodes()) {
    const ControlFlow part = ControlFlowOf(*impl_.nodes[id].op);
    if (part == ControlFlow::kMerge) {
      for (Endpoint e : impl_.inputs(id)) {
        const ControlFlow of = ControlFlowOf(*impl_.nodes[e.node].op);
        if (of == ControlFlow::kEnter || of == ControlFlow::kNextIteration) follows_[e.node] = id;
      }
    } else if (part == ControlFlow::kSwitch || part == ControlFlow::kExit) {
      const NodeId from = impl_.inputs(id)[0].node;
      const auto of = follows_.find(from);
      if (of != follows_.end()) {
        follows_[id] = of->second;
      } else if (ControlFlowOf(*impl_.nodes[from].op) == ControlFlow::kMerge) {
        follows_[id] = from;
      }
    }
  }
}

bool CloneDtypes::Keeps(NodeId id) const {
  const Op& op = *impl_.nodes[id].op;
  if (initial_[static_cast<size_t>(id)] != 0) return true;
  // A TensorArray's own operations have a flow among different outputs.
  if (flow_[static_cast<size_t>(id)] != 0 && PassesOn(op)) return true;
  if (kept_state_.contains(id) || RunsFunctions(op) || TalksToOutside(op.name())) return true;
  return StateRoles::Classify(op) == StateRole::kResource;
}

NodeId CloneDtypes::MakerOf(Endpoint e) const {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const NodeRecord& node = impl_.nodes[e.node];
    if (node.num_inputs == 0) return e.node;
    const Endpoint from = impl_.inputs(e.node)[0];
    const DType out = impl_.output(e).dtype, in = impl_.output(from).dtype;
    const bool on = IsRef(out) ? IsRef(in) : IsHandle(out) && out == in;
    if (!on) return e.node;
    e = from;
  }
  return e.node;
}

// Returns the operations that made the references and handles that a node takes.
std::vector<NodeId> CloneDtypes::MakersOf(NodeId id) const {
  std::vector<NodeId> makers;
  const Op& op = *impl_.nodes[id].op;
  const auto wanted = op.schema().Expand(op.schema().inputs, *impl_.nodes[id].attrs);
  const auto inputs = impl_.inputs(id);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool ref = wanted.ok() && i < wanted->size() && IsRef((*wanted)[i]);
    if (!ref && !IsHandle(impl_.output(inputs[i]).dtype)) continue;
    const NodeId maker = MakerOf(inputs[i]);
    if (std::ranges::count(makers, maker) == 0) makers.push_back(maker);
  }
  return makers;
}

const CloneDtype::Map& CloneDtypes::EffectiveRule(NodeId id,
                                                  const std::vector<NodeId>& makers) const {
  if (makers.empty()) return Keeps(id) ? no_rule_ : RuleOf(id);
  const NodeId maker = makers.front();
  return !selection_.IsSelected(maker) || Keeps(maker) ? no_rule_ : RuleOf(maker);
}

StatusOr<std::shared_ptr<const AttrMap>> CloneDtypes::Changed(NodeId id, const Map& rule) const {
  const NodeRecord& node = impl_.nodes[id];
  if (rule.empty()) return node.attrs;
  std::optional<AttrMap> changed;
  for (const AttrSchema& schema : node.op->schema().attrs) {
    if (IsKept(*node.op, schema)) continue;
    const Attr* attr = node.attrs->Find(schema.name);
    if (attr == nullptr && schema.has_default) attr = &schema.default_value;
    auto mapped = attr == nullptr ? std::nullopt : MappedAttr(rule, schema, *attr);
    if (!mapped) continue;
    if (!changed) changed = *node.attrs;
    changed->Set(schema.name, *std::move(mapped));
  }
  if (!changed) return node.attrs;
  const Attr* value = node.op->name() == "Const" ? changed->Find("value") : nullptr;
  const Tensor* tensor = value == nullptr ? nullptr : value->get<Tensor>();
  if (tensor != nullptr) {
    RAMET_ASSIGN_OR_RETURN(Tensor rounded,
                           ConvertFloating(*tensor, changed->GetOr<DType>("dtype", kFloat)));
    changed->Set("value", std::move(rounded));
  }
  return std::make_shared<const AttrMap>(*std::move(changed));
}

bool CloneDtypes::LosesKernel(NodeId id, const AttrMap& changed) const {
  const NodeRecord& node = impl_.nodes[id];
  return &changed != node.attrs.get() && node.op->HasKernel("CPU", *node.attrs) &&
         !node.op->HasKernel("CPU", changed);
}

// State keeps its dtype if one of the operations on it would have no kernel. So does all other
// state that such an operation takes.
Status CloneDtypes::KeepStateWithoutKernels() {
  for (NodeId id : selection_.nodes()) {
    if (auto makers = MakersOf(id); !makers.empty()) makers_.emplace(id, std::move(makers));
  }
  for (bool more = true; more;) {
    more = false;
    for (const auto& [id, makers] : makers_) {
      bool keep = makers.size() > 1 && std::ranges::any_of(makers, [&](NodeId m) {
                    return !selection_.IsSelected(m) || Keeps(m);
                  });
      if (!keep) {
        RAMET_ASSIGN_OR_RETURN(const auto attrs, Changed(id, EffectiveRule(id, makers)));
        keep = LosesKernel(id, *attrs);
      }
      for (NodeId m : makers) {
        if (keep && selection_.IsSelected(m) && !Keeps(m)) more = kept_state_.insert(m).second;
      }
    }
  }
  return OkStatus();
}

Status CloneDtypes::ChangeNodes() {
  for (NodeId id : selection_.nodes()) {
    auto makers = makers_.find(id);
    RAMET_ASSIGN_OR_RETURN(
        const auto attrs,
        Changed(id, EffectiveRule(
                        id, makers == makers_.end() ? std::vector<NodeId>() : makers->second)));
    if (attrs == impl_.nodes[id].attrs) continue;
    if (makers == makers_.end() && LosesKernel(id, *attrs)) continue;
    RAMET_RETURN_IF_ERROR(AddChange(id, attrs));
  }
  return OkStatus();
}

Status CloneDtypes::AddChange(NodeId id, std::shared_ptr<const AttrMap> attrs) {
  const NodeRecord& node = impl_.nodes[id];
  auto fail = [&](const Status& s) {
    return s.WithContext(StrCat("clone: dtype: node '", node.name, "'"));
  };
  if (Status s = node.op->schema().CheckAttrs(*attrs); !s.ok()) return fail(s);
  auto outputs = node.op->schema().Expand(node.op->schema().outputs, *attrs);
  if (!outputs.ok()) return fail(outputs.status());
  outputs->resize(static_cast<size_t>(node.num_outputs), DType::kInvalid);
  changes_[id] = {std::move(attrs), *std::move(outputs)};
  return OkStatus();
}

const std::shared_ptr<const AttrMap>& CloneDtypes::Attrs(NodeId id) const {
  auto change = changes_.empty() ? changes_.end() : changes_.find(id);
  return change == changes_.end() ? impl_.nodes[id].attrs : change->second.attrs;
}

DType CloneDtypes::TypeOf(Endpoint e) const {
  if (none()) return impl_.output(e).dtype;
  e = selection_.Unspliced(e);
  auto outside = outside_.find(EndpointKey(e));
  if (outside != outside_.end()) return outside->second;
  auto change = changes_.find(e.node);
  if (change == changes_.end()) return impl_.output(e).dtype;
  const DType type = change->second.outputs[static_cast<size_t>(e.index)];
  const bool open = selection_.open_enters().contains(e.node);
  return open ? BaseType(type) : type;
}

const std::vector<int32_t>* CloneDtypes::CastsOf(NodeId reader) const {
  auto found = casts_of_.find(reader);
  return found == casts_of_.end() ? nullptr : &found->second;
}

int32_t CloneDtypes::CastTo(Endpoint e, DType have, DType want, NodeId reader) {
  auto [it, added] =
      cast_ids_.try_emplace({EndpointKey(e), want}, static_cast<int32_t>(casts_.size()));
  if (added) casts_.push_back({e, have, want, reader});
  return it->second;
}

Status CloneDtypes::AddCasts() {
  for (NodeId id : selection_.nodes()) RAMET_RETURN_IF_ERROR(AddCastsOf(id));
  GiveBack();
  return OkStatus();
}

Status CloneDtypes::AddCastsOf(NodeId id) {
  const NodeRecord& node = impl_.nodes[id];
  std::vector<DType> wanted;
  if (auto change = changes_.find(id); change != changes_.end()) {
    RAMET_ASSIGN_OR_RETURN(
        wanted, node.op->schema().Expand(node.op->schema().inputs, *change->second.attrs));
  }
  for (int32_t i = 0; i < node.num_inputs; ++i) {
    const Endpoint e = selection_.Unspliced(selection_.InputOf(id, i));
    const DType have = BaseType(TypeOf(e));
    const bool known = static_cast<size_t>(i) < wanted.size();
    const DType want = known ? wanted[static_cast<size_t>(i)] : impl_.output(e).dtype;
    if (have == BaseType(want)) continue;
    if (known ? IsRef(want) : makers_.contains(id) && IsRef(want)) {
      return InvalidArgument("clone: dtype: '", node.name, "' needs references of one dtype, but '",
                             impl_.nodes[e.node].name, "' would be ", DTypeName(have), ", not ",
                             DTypeName(BaseType(want)));
    }
    auto& casts = casts_of_[id];
    casts.resize(static_cast<size_t>(node.num_inputs), -1);
    casts[static_cast<size_t>(i)] = CastTo(e, have, BaseType(want), id);
  }
  return OkStatus();
}

void CloneDtypes::GiveBack() {
  for (Endpoint e : selection_.outputs()) {
    const DType have = BaseType(TypeOf(e)), want = BaseType(impl_.output(e).dtype);
    if (have != want && !IsRef(TypeOf(e))) given_back_.emplace_back(e, CastTo(e, have, want, -1));
  }
}

}  // namespace ramet
