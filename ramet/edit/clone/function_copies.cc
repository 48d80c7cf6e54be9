#include "ramet/edit/clone/function_copies.h"

#include <algorithm>

#include "ramet/base/free_name.h"
#include "ramet/graph/function_library.h"

namespace ramet {

bool FunctionCopies::HoldsOwnState(const std::vector<FunctionStates::State>& states) const {
  return std::ranges::any_of(states, [&](const FunctionStates::State& state) {
    const CloneStateRule& rule = state.is_variable ? options_.variables : options_.resources;
    return rule.Of(state.name) == CloneState::kOwn;
  });
}

// Names the copy for the clone "copy": "f_copy", with a number if needed.
void FunctionCopies::Name(const std::string& function, const FunctionStates& states) {
  std::string scope = mapping_.scope;
  std::ranges::replace_if(
      scope, [](char c) { return c == '/' || c == '.' || c == '-' || c == '>'; }, '_');
  auto taken = [&](const std::string& name) {
    return LibraryOf(*mapping_.target).Find(name) != nullptr || states.Find(name) != nullptr ||
           given_.contains(name);
  };
  const std::string wanted = scope.empty() ? function : StrCat(function, "_", scope);
  std::string name = FreeName(wanted, taken, &next_numbers_);
  given_.insert(name);
  copies_.emplace(function, std::move(name));
  named_.push_back(function);
}

void FunctionCopies::Copy(const std::vector<NodeId>& nodes, FunctionStates& states,
                          GraphDef* library) {
  if (states.empty()) return;
  std::unordered_set<std::string> seen;
  std::vector<std::string> order;
  auto add = [&](std::vector<std::string> called) {
    for (std::string& f : called) {
      if (seen.insert(f).second) order.push_back(std::move(f));
    }
  };
  for (NodeId id : nodes) add(states.CalledBy(GraphDataOf(*mapping_.source).nodes[id]));
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

const std::string* FunctionCopies::CopyOf(const std::string& function) const {
  auto found = copies_.find(function);
  return found == copies_.end() ? nullptr : &found->second;
}

void FunctionCopies::Rename(AttrValue* value) const {
  auto rename = [&](NameAttrList* f) {
    if (const std::string* copy = CopyOf(f->name())) f->set_name(*copy);
  };
  if (value->has_func()) rename(value->mutable_func());
  if (!value->has_list()) return;
  for (NameAttrList& f : *value->mutable_list()->mutable_func()) rename(&f);
}

FunctionDef FunctionCopies::CopyOfDef(const FunctionDef& def) {
  FunctionDef copy = def;
  copy.mutable_signature()->set_name(*CopyOf(def.signature().name()));
  for (auto& [name, value] : *copy.mutable_attr()) Rename(&value);
  for (NodeDef& node : *copy.mutable_node_def()) {
    if (const std::string* called = CopyOf(node.op())) node.set_op(*called);
    for (auto& [name, value] : *node.mutable_attr()) Rename(&value);
    const std::string state = FunctionStates::NameOfState(node);
    if (state.empty()) continue;
    const CloneStateRule& rule =
        FunctionStates::IsVariable(node) ? options_.variables : options_.resources;
    if (rule.Of(state) != CloneState::kOwn) continue;
    (*node.mutable_attr())["shared_name"].set_s(names_.Text(state));
  }
  return copy;
}

bool FunctionCopies::ChangeAttrs(AttrMap* attrs) const {
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
