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

// The current scopes, for restoring them later.
struct SavedScopes {
  std::string name_stack;
  std::vector<std::optional<std::string>> devices;
  std::vector<Operation> colocations;
  std::vector<ControlScope> controls;
  ControlFlowContext* context;
};

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
  const std::string scope = state.name_stack.empty() ? "" : state.name_stack + "/";
  return nb::make_tuple(before, scope);
}

// Leaves all scopes but the name scope, for nodes that must not depend on their context
// (init_scope).
SavedScopes* Leave(PyGraph& graph, bool controls, bool devices, bool colocations) {
  BuildState& s = State(graph);
  auto* saved =
      new SavedScopes{s.name_stack, s.devices, s.colocations, s.controls, s.control_flow.current};
  if (controls) s.PushControls({.clears = true});
  if (devices) s.devices.push_back(std::nullopt);
  if (colocations) s.colocations.clear();
  return saved;
}

void Return(PyGraph& graph, const SavedScopes& saved) {
  BuildState& s = State(graph);
  s.name_stack = saved.name_stack;
  s.devices = saved.devices;
  s.colocations = saved.colocations;
  s.controls = saved.controls;
  s.control_flow.current = saved.context;
}

}  // namespace

void BindScopes(nb::module_& m) {
  nb::class_<SavedScopes>(m, "SavedScopes");
  m.def("push_name", &PushName);
  m.def("set_name_stack",
        [](PyGraph& g, const std::string& stack) { State(g).name_stack = stack; });
  m.def("name_stack", [](PyGraph& g) { return State(g).name_stack; });
  m.def(
      "push_device",
      [](PyGraph& g, nb::object device) {
        State(g).devices.push_back(device.is_none() ? std::nullopt
                                                    : std::optional(nb::cast<std::string>(device)));
      },
      nb::arg(), nb::arg().none());
  m.def("pop_device", [](PyGraph& g) { State(g).devices.pop_back(); });
  m.def("devices", [](PyGraph& g) {
    nb::list all;
    for (const auto& d : State(g).devices)
      all.append(d ? nb::object(nb::str(d->c_str())) : nb::none());
    return all;
  });
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
  m.def("pop_colocation", [](PyGraph& g) { State(g).colocations.pop_back(); });
  m.def("colocations", [](PyGraph& g) {
    nb::list all;
    for (const Operation& op : State(g).colocations) all.append(nb::steal(Wrap(op)));
    return all;
  });
  m.def("set_colocations", [](PyGraph& g, nb::list ops) {
    State(g).colocations.clear();
    for (nb::handle op : ops) State(g).colocations.push_back(OperationOf(op));
  });
  m.def("leave_scopes", &Leave, nb::rv_policy::take_ownership);
  m.def("return_to_scopes", &Return);
}

}  // namespace ramet::python
