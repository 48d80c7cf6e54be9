#include "eager.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// Converts None, a Tensor, or (values, indices, dense_shape or None) for IndexedSlices.
Gradient ToGradient(nb::handle h) {
  if (h.is_none()) return Gradient();
  if (!PyTuple_Check(h.ptr())) return Gradient(OutputArg(h));
  Gradient g(OutputArg(h[0]));
  g.indices = OutputArg(h[1]);
  nb::object shape = h[2];
  if (!shape.is_none()) g.dense_shape = OutputArg(shape);
  return g;
}

nb::object WrapGradient(const Gradient& g) {
  if (!g.exists()) return nb::none();
  if (!g.sparse()) return Take(Wrap(g.values));
  nb::object shape = g.dense_shape.valid() ? Take(Wrap(g.dense_shape)) : nb::none();
  return nb::make_tuple(Take(Wrap(g.values)), Take(Wrap(g.indices)), shape);
}

// Marks that a Python function raised an exception inside a call of the library. The exception
// propagates to the caller unchanged.
Status Stash() { return Unknown("a Python function raised an exception"); }

[[noreturn]] void RaiseGradientStatus(const Status& status, PyGraph* graph) {
  if (PyErr_Occurred()) throw PythonError();
  if (IsNotFound(status)) Raise(PyExc_LookupError, status.message());
  if (IsInvalidArgument(status)) Raise(PyExc_ValueError, status.message());
  if (IsUnimplemented(status)) Raise(PyExc_TypeError, status.message());
  RaiseStatus(status, graph ? graph->self : nullptr);
}

nb::list ComputeGradients(nb::list ys, nb::list xs, nb::list grad_ys, const std::string& name,
                          bool colocate, bool gate, int aggregation, nb::list stop_gradients,
                          bool unconnected_zero) {
  std::vector<Output> y;
  std::vector<GradientTarget> x;
  GradientsOptions options;
  for (nb::handle h : ys) y.push_back(OutputArg(h));
  for (nb::handle h : xs) x.push_back(GradientTarget(OutputArg(h)));
  for (nb::handle h : grad_ys) options.grad_ys.push_back(ToGradient(h));
  for (nb::handle h : stop_gradients) options.stop_gradients.push_back(OutputArg(h));
  options.name = name;
  options.colocate_gradients_with_ops = colocate;
  options.gate_gradients = gate;
  options.aggregation = aggregation == 0 ? Aggregation::kAddN : Aggregation::kTree;
  options.unconnected = unconnected_zero ? Unconnected::kZero : Unconnected::kNone;
  PyGraph* graph = y.empty() ? nullptr : GraphOf(y[0].graph());
  auto gradients = Gradients(y, x, options);
  if (graph) {
    Status kept = graph->TakeError();
    if (gradients.ok() && !kept.ok()) RaiseGradientStatus(kept, graph);
    if (gradients.ok()) graph->NoteNewNodes();
  }
  if (!gradients.ok()) RaiseGradientStatus(gradients.status(), graph);
  nb::list all;
  for (const Gradient& g : *gradients) all.append(WrapGradient(g));
  return all;
}

// Calls fn(op, [gradients of the outputs]) -> [gradients of the inputs].
// Graphs of function bodies have no Python objects.
Status CallPythonGradient(const std::shared_ptr<nb::object>& fn, GradientContext& context) {
  if (IsFunctionGraph(context.graph())) {
    return Unimplemented("the gradient of node '", context.op().name(), "' (", context.op().type(),
                         ") is a Python function, which cannot be used inside a function of the "
                         "graph's library");
  }
  const GilAcquire gil;
  if (!gil) return Cancelled("the Python interpreter has ended");
  try {
    nb::list arriving;
    for (int i = 0; i < context.num_outputs(); ++i) {
      const Gradient& raw = context.raw_grad(i);
      if (raw.exists() && raw.sparse()) {
        arriving.append(WrapGradient(raw));
      } else {
        Output dense = context.grad(i);
        arriving.append(dense.valid() ? Take(Wrap(dense)) : nb::none());
      }
    }
    nb::object op = Take(Wrap(context.op()));
    nb::object made =
        Take(Checked(PyObject_CallFunctionObjArgs(fn->ptr(), op.ptr(), arriving.ptr(), nullptr)));
    std::vector<Gradient> gradients;
    for (nb::handle h : made) gradients.push_back(ToGradient(h));
    return context.Return(std::move(gradients));
  } catch (const PythonError&) {
    return Stash();
  } catch (nb::python_error& e) {
    e.restore();
    return Stash();
  }
}

}  // namespace

void BindGradients(nb::module_& m) {
  m.def("gradients", &ComputeGradients);
  m.def("register_gradient", [](const std::string& name, nb::object fn) {
    auto held = std::make_shared<nb::object>(std::move(fn));
    Status done = GradientRegistry::Global().Register(
        name, [held](GradientContext& c) { return CallPythonGradient(held, c); });
    if (!done.ok()) Raise(PyExc_KeyError, done.message());
    AddEagerGradient(name, *held);
  });
  m.def("register_no_gradient", [](const std::string& name) {
    Status done = GradientRegistry::Global().Register(
        name, [](GradientContext& c) { return c.Return(std::vector<Gradient>(c.num_inputs())); });
    if (!done.ok()) Raise(PyExc_KeyError, done.message());
  });
}

}  // namespace ramet::python
