#include "core.h"

namespace ramet::python {
namespace {

BuildState& State(PyGraph& graph) {
  graph.UseThread();
  return graph.build_state();
}

Operation OperationOf(nb::handle h) {
  if (const PyOperation* op = AsOperation(h.ptr())) return op->operation();
  if (const PyTensor* t = AsTensor(h.ptr())) return t->output().op();
  RaiseTypeError("an Operation or a Tensor is expected, not ", Py_TYPE(h.ptr())->tp_name);
}

// Implements name_scope(name): returns (the previous scope, the new scope with its slash).
nb::tuple PushName(PyGraph& graph, const std::string& name, bool unique) {
  BuildState& state = State(graph);
  std::string before = state.name_stack;
  if (name.empty()) {
    state.name_stack.clear();
  } else if (name.ends_with('/')) {
    state.name_stack = name.substr(0, name.size() - 1);
  } else {
    state.name_stack = unique ? graph.UniqueName(name) : name;
  }
  const bool is_full = name.ends_with('/') || state.name_stack.empty();
  const std::string scope = is_full ? name : state.name_stack + "/";
  return nb::make_tuple(before, scope);
}

}  // namespace

void BindScopes(nb::module_& m) {
  m.def("push_name", &PushName);
  m.def("set_name_stack",
        [](PyGraph& g, const std::string& stack) { State(g).name_stack = stack; });
  m.def("name_stack", [](PyGraph& g) { return State(g).name_stack; });
  m.def("set_devices", [](PyGraph& g, nb::list devices) {
    State(g).devices.clear();
    for (nb::handle d : devices) {
      State(g).devices.push_back(d.is_none() ? std::nullopt
                                             : std::optional(nb::cast<std::string>(d)));
    }
  });
  m.def(
      "push_controls",
      [](PyGraph& g, nb::object controls) {
        ControlScope scope;
        scope.clears = controls.is_none();
        if (!scope.clears) {
          for (nb::handle c : controls) scope.controllers.push_back(OperationOf(c));
        }
        State(g).PushControls(std::move(scope));
      },
      nb::arg(), nb::arg().none());
  m.def("pop_controls", [](PyGraph& g) { State(g).PopControls(); });
  m.def("push_colocation",
        [](PyGraph& g, nb::handle op) { State(g).colocations.push_back(OperationOf(op)); });
  m.def("colocations", [](PyGraph& g) {
    nb::list all;
    for (const Operation& op : State(g).colocations) all.append(nb::steal(Wrap(op)));
    return all;
  });
  m.def("set_colocations", [](PyGraph& g, nb::list ops) {
    State(g).colocations.clear();
    for (nb::handle op : ops) State(g).colocations.push_back(OperationOf(op));
  });
}

}  // namespace ramet::python
