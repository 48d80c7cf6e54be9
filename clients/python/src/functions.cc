#include "core.h"

namespace ramet::python {
namespace {

std::vector<std::string> Texts(nb::list list) {
  std::vector<std::string> texts;
  for (nb::handle h : list) texts.push_back(nb::cast<std::string>(h));
  return texts;
}

std::vector<Output> Tensors(nb::list list) {
  std::vector<Output> tensors;
  for (nb::handle h : list) tensors.push_back(OutputArg(h));
  return tensors;
}

// Adds the part of `body` between the given tensors to the functions of `graph`.
void Define(PyGraph& graph, PyGraph& body, const std::string& name, nb::list args, nb::list returns,
            nb::list controls, nb::list return_names) {
  FunctionSpec spec{.name = name, .args = Tensors(args), .returns = Tensors(returns)};
  for (nb::handle h : controls) {
    const PyOperation* op = AsOperation(h.ptr());
    if (op == nullptr) RaiseTypeError("an Operation is expected, not ", Py_TYPE(h.ptr())->tp_name);
    spec.controls.push_back(Operation(op->graph, op->id));
  }
  spec.return_names = Texts(return_names);
  Status defined = DefineFunction(graph, body, spec);
  if (!defined.ok()) RaiseBuildStatus(defined);
}

// Returns the tensor of the graph that stands for an outer one.
Output CallInside(PyGraph* graph, PyObject* outer) {
  nb::object made = nb::steal(Checked(PyObject_CallMethod(graph->self, "_inside", "O", outer)));
  const PyTensor* inner = AsTensor(made.ptr());
  if (inner == nullptr) RaiseTypeError("_inside() did not return a Tensor");
  return inner->output();
}

}  // namespace

int PyGraph::num_capturing = 0;

Output Inside(PyGraph* graph, const Output& tensor) {
  if (!graph->captures || (tensor.graph() == graph && !graph->replaces)) return tensor;
  nb::object outer = nb::steal(Wrap(tensor));
  return CallInside(graph, outer.ptr());
}

Output Captured(PyGraph* graph, PyObject* eager, const std::string& name) {
  if (!graph->captures) {
    Raise(PyExc_RuntimeError,
          StrCat(name, name.empty() ? "" : ": ",
                 "Attempting to capture an EagerTensor without building a function."));
  }
  return CallInside(graph, eager);
}

void BindFunctions(nb::module_& m) {
  m.def("define_function", &Define);
  m.def("has_function",
        [](PyGraph& graph, const std::string& name) { return HasFunction(graph, name); });
  m.def("unique_function_name",
        [](PyGraph& graph, const std::string& name) { return UniqueFunctionName(graph, name); });
  // Sets whether tensors of other graphs, as inputs of new nodes, go through graph._inside(tensor),
  // and whether tensors of the graph itself do.
  m.def(
      "set_capturing",
      [](PyGraph& graph, bool captures, bool replaces) {
        PyGraph::num_capturing += static_cast<int>(captures) - static_cast<int>(graph.captures);
        graph.captures = captures;
        graph.replaces = replaces;
      },
      nb::arg(), nb::arg(), nb::arg() = false);
}

}  // namespace ramet::python
