#include "ramet/graph/initialized_value.h"

#include <unordered_map>
#include <utility>

#include "ramet/graph/collections.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

bool IsReferenceVariable(std::string_view type) {
  return type == "VariableV2" || type == "Variable";
}

// Reports whether an initial value may depend on such an op while variables are uninitialized.
bool EndsSearch(std::string_view type) {
  return IsReferenceVariable(type) || type == "VarHandleOp" || type == "ReadVariableOp" ||
         type == "IsVariableInitialized" || type == "VarIsInitializedOp" || type == "If";
}

Variable FindReferenceVariable(const Graph& graph, const Operation& op) {
  for (const char* key : {graph_keys::kGlobalVariables, graph_keys::kLocalVariables}) {
    for (const CollectionItem& item : graph.collections().Get(key)) {
      const Variable* v = std::get_if<Variable>(&item);
      if (v != nullptr && v->ref().op() == op) return *v;
    }
  }
  return Variable();
}

// One call of GuardedInitialValue.
class Guard {
 public:
  Guard(Graph& graph, const std::string& name) : graph_(graph), suffix_(StrCat("_", name, "/")) {}

  Output Of(const Output& initial_value) {
    if (!Order(initial_value.op()) || !finds_variable_) return initial_value;
    for (const Operation& op : order_) Replace(op);
    return Replaced(initial_value);
  }

 private:
  struct Visit {
    Operation op;
    std::vector<Output> inputs;
    size_t next = 0;
  };

  // Sorts the operations that `last` depends on, inputs first. Returns false if there is a loop.
  bool Order(const Operation& last) {
    std::unordered_map<NodeId, bool> done;
    std::vector<Visit> path;
    auto enter = [&](const Operation& op) {
      done[op.id()] = false;
      const std::string type = op.type();
      finds_variable_ |= IsReferenceVariable(type);
      path.push_back({op, EndsSearch(type) ? std::vector<Output>() : op.inputs()});
    };
    enter(last);
    while (!path.empty()) {
      Visit& top = path.back();
      if (top.next == top.inputs.size()) {
        order_.push_back(top.op);
        done[top.op.id()] = true;
        path.pop_back();
        continue;
      }
      const Operation input = top.inputs[top.next++].op();
      auto seen = done.find(input.id());
      if (seen == done.end()) {
        enter(input);
      } else if (!seen->second) {
        return false;
      }
    }
    return true;
  }

  void Replace(const Operation& op) {
    const std::string type = op.type();
    if (IsReferenceVariable(type)) {
      const Variable v = FindReferenceVariable(graph_, op);
      if (v.valid() && v.record().initial_value.valid()) {
        replaced_[op.id()] = InitializedValue(v).op();
      }
      return;
    }
    if (EndsSearch(type)) return;
    std::vector<Input> inputs;
    bool changed = false;
    for (const Output& in : op.inputs()) {
      const Output now = Replaced(in);
      changed |= now != in;
      inputs.push_back(now);
    }
    if (!changed) return;
    replaced_[op.id()] = AddOp(graph_, type == "RefSwitch" ? "Switch" : type, inputs, *op.attrs(),
                               StrCat(op.name(), suffix_));
  }

  Output Replaced(const Output& output) const {
    auto it = replaced_.find(output.op().id());
    if (it == replaced_.end()) return output;
    return it->second.valid() ? it->second.output(output.index()) : Output();
  }

  Graph& graph_;
  std::string suffix_;
  bool finds_variable_ = false;
  std::vector<Operation> order_;
  std::unordered_map<NodeId, Operation> replaced_;
};

bool CanBranch() { return OpRegistry::Global().Find("Switch") != nullptr; }

// Adds Switch(data, pred) colocated with `data`, ignoring open colocation scopes.
Operation ColocatedSwitch(Graph& graph, const char* type, const Output& data, const Output& pred,
                          std::string_view name) {
  Scope here(graph);
  BuildState& state = graph.build_state();
  auto outer = std::exchange(state.colocations, {data.op()});
  Operation op = AddOp(graph, type, {data, pred}, {}, name);
  state.colocations = std::move(outer);
  return op;
}

}  // namespace

Output InitializedValue(const Variable& variable) {
  if (!variable.valid()) return Output();
  Graph& graph = *variable.graph();
  const VariableRecord record = variable.record();
  Scope here(graph);
  Scope anytime = here.ClearControlDependencies();
  if (!CanBranch()) return AddOp(graph, "Identity", {record.variable}, {}, "read").output(0);
  const Output ready = AddOp(graph, "IsVariableInitialized", {record.variable}).output(0);
  Scope cond = anytime.NameScope("cond");
  const Operation branches = AddOp(graph, "Switch", {ready, ready});
  AddOp(graph, "Identity", {branches.output(1)}, {}, "switch_t");
  AddOp(graph, "Identity", {branches.output(0)}, {}, "switch_f");
  const Output pred = AddOp(graph, "Identity", {ready}, {}, "pred_id").output(0);
  const std::string read_name = graph.UniqueName("read");
  const Operation ref =
      ColocatedSwitch(graph, "RefSwitch", record.variable, pred, StrCat(read_name, "/Switch/"));
  const Output read =
      AddOp(graph, "Identity", {ref.output(1)}, {}, StrCat(read_name, "/")).output(0);
  const Operation initial = ColocatedSwitch(graph, "Switch", record.initial_value, pred, "Switch");
  return AddOp(graph, "Merge", {initial.output(0), read}).output(0);
}

Output GuardedInitialValue(Graph& graph, const Output& initial_value,
                           const std::string& full_name) {
  if (!initial_value.valid() || !CanBranch()) return initial_value;
  return Guard(graph, full_name).Of(initial_value);
}

}  // namespace ramet
