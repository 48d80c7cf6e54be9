#include "core.h"

namespace ramet::python {
namespace {

// Applies changes to inputs (operation, index, tensor) and control inputs (operation, control).
void ApplyPatch(PyGraph& graph, nb::list inputs, nb::list added, nb::list removed,
                bool check_cycles) {
  GraphPatch patch(graph);
  for (nb::handle change : inputs) {
    patch.SetInput(OperationArg(change[0]), nb::cast<int>(change[1]), OutputArg(change[2]));
  }
  for (nb::handle change : removed) {
    patch.RemoveControlInput(OperationArg(change[0]), OperationArg(change[1]));
  }
  for (nb::handle change : added) {
    patch.AddControlInput(OperationArg(change[0]), OperationArg(change[1]));
  }
  const Status applied = patch.Apply({.check_cycles = check_cycles});
  if (!applied.ok()) RaiseBuildStatus(applied);
}

nb::object Copy(nb::handle source, PyGraph& graph, const std::string& name, nb::list inputs) {
  OperationCopy copy{.name = name};
  for (nb::handle input : inputs) copy.inputs.push_back(OutputArg(input));
  graph.UseThread();
  auto made = CopyOperation(OperationArg(source), graph, std::move(copy));
  if (!made.ok()) RaiseBuildStatus(made.status());
  graph.NoteNewNodes();
  return Take(Wrap(*made));
}

// Returns an unused name in the graph, regardless of the current scope.
std::string UniqueName(PyGraph& graph, const std::string& name) {
  graph.UseThread();
  const std::string scope = std::exchange(graph.build_state().name_stack, "");
  std::string unique = graph.UniqueName(name);
  graph.build_state().name_stack = scope;
  return unique;
}

}  // namespace

void BindEdits(nb::module_& m) {
  m.def("apply_patch", &ApplyPatch);
  m.def("copy_operation", &Copy);
  m.def("unique_full_name", &UniqueName);
}

}  // namespace ramet::python
