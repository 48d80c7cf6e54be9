#include "ramet/edit/clone_functions.h"

#include <algorithm>

#include "ramet/edit/clone_names.h"
#include "ramet/edit/clone_selection.h"

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

FunctionStates::FunctionStates(const GraphImpl& impl) {
  if (impl.library->names().empty()) return;
  impl.library->CopyTo(&library_);
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

bool CloneFunctions::HoldsOwnState(const std::vector<FunctionStates::State>& states) const {
  return std::ranges::any_of(states, [&](const FunctionStates::State& state) {
    const CloneStateRule& rule = state.is_variable ? options_.variables : options_.resources;
    return rule.Of(state.name) == CloneState::kOwn;
  });
}

// Names the copy for the clone "copy": "f_copy", with a number if needed.
void CloneFunctions::Name(const std::string& function, const FunctionStates& states) {
  std::string scope = mapping_.scope;
  std::ranges::replace_if(
      scope, [](char c) { return c == '/' || c == '.' || c == '-' || c == '>'; }, '_');
  const std::string wanted = scope.empty() ? function : StrCat(function, "_", scope);
  std::string name = wanted;
  auto taken = [&] {
    return mapping_.target->impl().library->Find(name) != nullptr || states.Find(name) != nullptr ||
           given_.contains(name);
  };
  for (int i = 1; taken(); ++i) name = StrCat(wanted, "_", i);
  given_.insert(name);
  copies_.emplace(function, std::move(name));
  named_.push_back(function);
}

void CloneFunctions::Copy(const std::vector<NodeId>& nodes, FunctionStates& states,
                          GraphDef* library) {
  if (states.empty()) return;
  std::unordered_set<std::string> seen;
  std::vector<std::string> order;
  auto add = [&](std::vector<std::string> called) {
    for (std::string& f : called) {
      if (seen.insert(f).second) order.push_back(std::move(f));
    }
  };
  for (NodeId id : nodes) add(states.CalledBy(mapping_.source->impl().nodes[id]));
  for (size_t i = 0; i < order.size(); ++i) {
    const FunctionDef* def = states.Find(order[i]);
    if (def == nullptr || !HoldsOwnState(states.Behind(order[i]))) continue;
    Name(order[i], states);
    add(states.CalledIn(*def));
  }
  for (const std::string& f : named_) {
    *library->mutable_library()->add_function() = CopyOfDef(*states.Find(f));
    const std::string gradient = states.GradientOf(f);
    if (gradient.empty()) continue;
    GradientDef* def = library->mutable_library()->add_gradient();
    const std::string* copy = CopyOf(gradient);
    def->set_function_name(*CopyOf(f));
    def->set_gradient_func(copy == nullptr ? gradient : *copy);
  }
}

const std::string* CloneFunctions::CopyOf(const std::string& function) const {
  auto found = copies_.find(function);
  return found == copies_.end() ? nullptr : &found->second;
}

void CloneFunctions::Rename(AttrValue* value) const {
  auto rename = [&](NameAttrList* f) {
    if (const std::string* copy = CopyOf(f->name())) f->set_name(*copy);
  };
  if (value->has_func()) rename(value->mutable_func());
  if (!value->has_list()) return;
  for (NameAttrList& f : *value->mutable_list()->mutable_func()) rename(&f);
}

FunctionDef CloneFunctions::CopyOfDef(const FunctionDef& def) {
  FunctionDef copy = def;
  copy.mutable_signature()->set_name(*CopyOf(def.signature().name()));
  for (auto& [name, value] : *copy.mutable_attr()) Rename(&value);
  for (NodeDef& node : *copy.mutable_node_def()) {
    if (const std::string* called = CopyOf(node.op())) node.set_op(*called);
    for (auto& [name, value] : *node.mutable_attr()) Rename(&value);
    const std::string state = FunctionStates::NameOfState(node);
    if (state.empty()) continue;
    const bool variable = RoleOf(node) == StateRole::kVariable;
    const CloneStateRule& rule = variable ? options_.variables : options_.resources;
    if (rule.Of(state) != CloneState::kOwn) continue;
    (*node.mutable_attr())["shared_name"].set_s(names_.Text(state));
  }
  return copy;
}

bool CloneFunctions::ChangeAttrs(AttrMap* attrs) const {
  std::vector<std::pair<std::string, Attr>> changed;
  auto renamed = [&](const FunctionRef& f) {
    const std::string* copy = CopyOf(f.name);
    return copy == nullptr ? f : FunctionRef{*copy, f.attrs};
  };
  for (const auto& [name, attr] : *attrs) {
    if (const auto* f = attr.get<FunctionRef>(); f != nullptr && CopyOf(f->name) != nullptr) {
      changed.emplace_back(name, Attr(renamed(*f)));
    }
    const auto* list = attr.get<std::vector<FunctionRef>>();
    if (list == nullptr || list->empty()) continue;
    std::vector<FunctionRef> copies;
    for (const FunctionRef& f : *list) copies.push_back(renamed(f));
    if (copies != *list) changed.emplace_back(name, Attr(std::move(copies)));
  }
  for (auto& [name, attr] : changed) attrs->Set(name, std::move(attr));
  return !changed.empty();
}

}  // namespace ramet
