#include "ramet/edit/clone/function_states.h"

#include <algorithm>
#include <unordered_set>

#include "ramet/edit/clone/state_roles.h"

namespace ramet {
namespace {

template <class Visit>
void EachFunction(const AttrValue& value, Visit&& visit) {
  if (value.has_func()) visit(value.func().name());
  for (const NameAttrList& f : value.list().func()) visit(f.name());
}

const std::string& StringAttr(const NodeDef& node, const char* name) {
  static const auto* const none = new std::string;
  auto attr = node.attr().find(name);
  return attr == node.attr().end() ? *none : attr->second.s();
}

// Returns the role of a node in a body, determined by its op.
StateRole RoleOf(const NodeDef& node) {
  const Op* op = OpRegistry::Global().Find(node.op());
  return op == nullptr ? StateRole::kNone : StateRoles::Classify(*op);
}

}  // namespace

FunctionStates::FunctionStates(const FunctionLibrary& library) {
  if (library.names().empty()) return;
  library.CopyTo(&library_);
  for (const FunctionDef& f : library_.library().function()) {
    functions_.emplace(f.signature().name(), &f);
  }
}

const FunctionDef* FunctionStates::Find(const std::string& function) const {
  auto found = functions_.find(function);
  return found == functions_.end() ? nullptr : found->second;
}

std::string FunctionStates::GradientOf(const std::string& function) const {
  for (const GradientDef& g : library_.library().gradient()) {
    if (g.function_name() == function) return g.gradient_func();
  }
  return "";
}

bool FunctionStates::MayCall(const Op* op) {
  auto [it, added] = callers_.try_emplace(op);
  if (added) {
    it->second = functions_.contains(op->name()) || !op->registered() ||
                 std::ranges::any_of(op->schema().attrs, [](const AttrSchema& a) {
                   return a.type == "func" || a.type == "list(func)";
                 });
  }
  return it->second;
}

std::vector<std::string> FunctionStates::CalledBy(const NodeRecord& node) {
  std::vector<std::string> called;
  if (empty() || !MayCall(node.op)) return called;
  if (functions_.contains(node.op->name())) called.push_back(node.op->name());
  for (const auto& [name, attr] : *node.attrs) {
    if (const auto* f = attr.get<FunctionRef>()) called.push_back(f->name);
    const auto* list = attr.get<std::vector<FunctionRef>>();
    if (list == nullptr) continue;
    for (const FunctionRef& f : *list) called.push_back(f.name);
  }
  return called;
}

std::vector<std::string> FunctionStates::CalledIn(const FunctionDef& def) const {
  std::vector<std::string> called;
  auto add = [&](const std::string& name) {
    if (functions_.contains(name)) called.push_back(name);
  };
  for (const NodeDef& node : def.node_def()) {
    add(node.op());
    for (const auto& [name, value] : node.attr()) EachFunction(value, add);
  }
  if (const std::string gradient = GradientOf(def.signature().name()); !gradient.empty()) {
    add(gradient);
  }
  return called;
}

std::string FunctionStates::NameOfState(const NodeDef& node) {
  const StateRole role = RoleOf(node);
  if (role != StateRole::kVariable && role != StateRole::kResource) return "";
  const std::string& shared = StringAttr(node, "shared_name");
  if (shared == kAnonymousName) return "";
  if (!shared.empty()) return shared;
  auto by_node = node.attr().find("use_node_name_sharing");
  const bool shares = by_node != node.attr().end() && by_node->second.b();
  return role == StateRole::kVariable || shares ? node.name() : "";
}

const std::vector<FunctionStates::State>& FunctionStates::Behind(const std::string& function) {
  auto [it, added] = behind_.try_emplace(function);
  if (!added) return it->second;
  std::vector<State> states;
  std::unordered_set<std::string> seen = {function};
  std::vector<std::string> stack = {function};
  while (!stack.empty()) {
    const FunctionDef* def = Find(stack.back());
    stack.pop_back();
    if (def == nullptr) continue;
    for (const NodeDef& node : def->node_def()) {
      State state{NameOfState(node), RoleOf(node) == StateRole::kVariable};
      if (!state.name.empty() && std::ranges::count(states, state) == 0) {
        states.push_back(std::move(state));
      }
    }
    for (std::string& called : CalledIn(*def)) {
      if (seen.insert(called).second) stack.push_back(std::move(called));
    }
  }
  return behind_[function] = std::move(states);
}

bool FunctionStates::IsVariable(const NodeDef& node) {
  return RoleOf(node) == StateRole::kVariable;
}

}  // namespace ramet
