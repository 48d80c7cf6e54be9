#include "ramet/edit/clone/fixed_dtypes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

// Reports whether an op's dtypes are determined externally by files or feeds, or its result depends
// on them.
bool HasExternalDtypes(const std::string& op) {
  static constexpr std::array kNames = {"Bitcast",        "DecodeCSV",   "DecodePaddedRaw",
                                        "DecodeRaw",      "EncodeProto", "ImmutableConst",
                                        "SerializeTensor"};
  static constexpr std::array kPrefixes = {"Placeholder", "Save",  "Restore",
                                           "Parse",       "_Send", "DecodeProto"};
  return std::ranges::count(kNames, op) > 0 ||
         std::ranges::any_of(kPrefixes, [&](const char* p) { return op.starts_with(p); });
}

bool PassesOn(const Op& op) {
  const ControlFlow part = ControlFlowOf(op);
  return op.name() == "Identity" ||
         (part != ControlFlow::kNone && part != ControlFlow::kControlTrigger);
}

// Reports whether the op runs functions, either host functions or functions of the library.
bool RunsFunctions(const Op& op) {
  if (!op.registered() || op.calls_program()) return true;
  return std::ranges::any_of(op.schema().attrs, [](const AttrSchema& a) {
    return a.type == "func" || a.type == "list(func)";
  });
}

}  // namespace

FixedDtypes::FixedDtypes(const CloneSelection& selection)
    : selection_(selection), impl_(selection.impl()) {
  FindInitialValues();
  FindFlows();
}

void FixedDtypes::FindInitialValues() {
  initial_.assign(impl_.nodes.size(), 1);
  std::vector<uint8_t> is_read(impl_.nodes.size(), 0);
  std::vector<NodeId> stack;
  for (NodeId id : selection_.nodes()) {
    for (Endpoint e : impl_.inputs(id)) is_read[static_cast<size_t>(e.node)] = 1;
  }
  std::unordered_set<NodeId> initializers;
  for (const SelectedVariable& v : selection_.state().variables) {
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
  for (Endpoint e : selection_.boundary().outputs()) need(e.node);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    for (Endpoint e : impl_.inputs(id)) need(e.node);
  }
  for (NodeId id : initializers) {
    if (id >= 0) initial_[static_cast<size_t>(id)] = 0;
  }
}

void FixedDtypes::FindFlows() {
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

bool FixedDtypes::Contains(NodeId id) const {
  const Op& op = *impl_.nodes[id].op;
  if (initial_[static_cast<size_t>(id)] != 0) return true;
  // A TensorArray's own operations have a flow among different outputs.
  if (flow_[static_cast<size_t>(id)] != 0 && PassesOn(op)) return true;
  if (state_.contains(id) || RunsFunctions(op) || HasExternalDtypes(op.name())) return true;
  return StateRoles::Classify(op) == StateRole::kResource;
}

}  // namespace ramet
