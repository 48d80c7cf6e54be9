#include "eager.h"

#include "errors.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// The context of the process. It lives until the process ends, as values may.
EagerContext*& ContextSlot() {
  static EagerContext* context = nullptr;
  return context;
}

// Makes a graph stand for eager execution. The first call creates the context of the process, whose
// functions are in the library of that graph.
void MakeEager(PyGraph& graph) {
  if (graph.eager) return;
  if (ContextSlot() == nullptr) {
    Py_INCREF(graph.self);  // outlives the context
    ContextSlot() = Value(EagerContext::Make(graph, SessionOptions())).release();
  }
  graph.eager = true;
  ++PyGraph::num_eager;
}

const EagerValue& EagerArg(nb::handle h) {
  const EagerValue* value = AsEager(h.ptr());
  if (value == nullptr)
    RaiseTypeError("an EagerTensor is expected, not ", Py_TYPE(h.ptr())->tp_name);
  return *value;
}

std::vector<EagerValue> EagerArgs(nb::handle list) {
  std::vector<EagerValue> values;
  for (nb::handle h : list) values.push_back(EagerArg(h));
  return values;
}

// Converts None, an EagerTensor, or (values, indices, dense_shape or None) for IndexedSlices.
EagerGradient ToEagerGradient(nb::handle h) {
  if (h.is_none()) return {};
  if (!PyTuple_Check(h.ptr())) return {EagerArg(h), {}, {}};
  nb::object shape = h[2];
  return {EagerArg(h[0]), EagerArg(h[1]), shape.is_none() ? EagerValue() : EagerArg(shape)};
}

nb::object WrapEagerGradient(const EagerGradient& g) {
  if (!g.exists()) return nb::none();
  if (!g.sparse()) return Take(Wrap(g.values));
  nb::object shape = g.dense_shape.exists() ? Take(Wrap(g.dense_shape)) : nb::none();
  return nb::make_tuple(Take(Wrap(g.values)), Take(Wrap(g.indices)), shape);
}

// Returns the gradients of inputs that call([gradients of outputs]) returns as a Python list.
template <class Call>
StatusOr<std::vector<EagerGradient>> InputGradients(std::span<const EagerGradient> arriving,
                                                    const Call& call) {
  const GilAcquire gil;
  if (!gil) return Cancelled("the Python interpreter has ended");
  try {
    nb::list grads;
    for (const EagerGradient& g : arriving) grads.append(WrapEagerGradient(g));
    const nb::object made = call(grads);
    std::vector<EagerGradient> gradients;
    for (nb::handle h : made) gradients.push_back(ToEagerGradient(h));
    return gradients;
  } catch (...) {
    SetErrorOfException();
    return Unknown("a Python function raised an exception");
  }
}

void RecordBackward(nb::handle inputs, nb::handle outputs, nb::object fn) {
  Tape::RecordBackward(EagerArgs(inputs), EagerArgs(outputs),
                       [held = Share(std::move(fn))](std::span<const EagerGradient> arriving) {
                         return InputGradients(arriving, [&](const nb::list& grads) {
                           return Take(Checked(PyObject_CallOneArg(held->ptr(), grads.ptr())));
                         });
                       });
}

// The gradient functions of the program, by op type. Never destroyed.
std::unordered_map<std::string, nb::object>& GradientFunctions() {
  static auto* const functions = new std::unordered_map<std::string, nb::object>;
  return *functions;
}

nb::object WrapRecordedOp(const RecordedRun& run) {
  nb::list inputs, outputs;
  for (const EagerValue& value : run.inputs) inputs.append(Take(Wrap(value)));
  for (const EagerValue& value : run.outputs) outputs.append(Take(Wrap(value)));
  nb::dict attrs;
  for (const auto& [name, attr] : *run.op.attrs()) attrs[name.c_str()] = Take(WrapAttr(attr));
  return Take(Checked(PyObject_CallFunction(TheHooks().recorded_op, "sOOO", run.op.type().c_str(),
                                            inputs.ptr(), outputs.ptr(), attrs.ptr())));
}

StatusOr<std::vector<EagerGradient>> CallGradientFunction(const nb::object& fn,
                                                          const RecordedRun& run,
                                                          std::span<const EagerGradient> arriving) {
  return InputGradients(arriving, [&](const nb::list& grads) {
    const nb::object op = WrapRecordedOp(run);
    return Take(Checked(PyObject_CallFunctionObjArgs(fn.ptr(), op.ptr(), grads.ptr(), nullptr)));
  });
}

// The gradients keep the GIL, because they may call Python functions of the program.
nb::list TapeGradients(Tape& tape, nb::handle targets, nb::handle sources, nb::handle starts) {
  std::vector<EagerGradient> given;
  for (nb::handle h : starts) given.push_back(ToEagerGradient(h));
  auto gradients = tape.Gradients(TheEagerContext(), EagerArgs(targets), EagerArgs(sources), given);
  if (PyErr_Occurred()) throw PythonError();
  if (!gradients.ok()) {
    const Status& status = gradients.status();
    if (IsNotFound(status)) Raise(PyExc_LookupError, status.message());
    RaiseStatus(status);
  }
  nb::list all;
  for (const EagerGradient& g : *gradients) all.append(WrapEagerGradient(g));
  return all;
}

void BindTape(nb::module_& m) {
  Tape::SetProgramGradients(
      {[](const std::string& type) { return GradientFunctions().contains(type); },
       [](const RecordedRun& run, std::span<const EagerGradient> arriving) {
         return CallGradientFunction(GradientFunctions().at(run.op.type()), run, arriving);
       }});
  nb::class_<Tape>(m, "Tape")
      .def(nb::init<>())
      .def("start", &Tape::Start)
      .def("stop", &Tape::Stop)
      .def("watch", [](Tape& tape, nb::handle value) { tape.Watch(EagerArg(value).id); })
      .def("tracks", [](Tape& tape, nb::handle value) { return tape.Tracks(EagerArg(value)); })
      .def("gradients", &TapeGradients);
  nb::class_<TapePause>(m, "TapePause").def(nb::init<>()).def("resume", &TapePause::Resume);
  m.def("record_backward", &RecordBackward);
}

}  // namespace

int PyGraph::num_eager = 0;

void AddEagerGradient(const std::string& type, nb::object fn) {
  GradientFunctions()[type] = std::move(fn);
}

EagerContext& TheEagerContext() {
  if (ContextSlot() == nullptr) {
    Raise(PyExc_RuntimeError, "eager execution is not enabled; call tf.enable_eager_execution()");
  }
  return *ContextSlot();
}

void BindEager(nb::module_& m) {
  m.def("make_eager", &MakeEager);
  m.def("set_eager_device",
        [](PyGraph& graph, const std::string& device) { graph.eager_device = device; });
  m.def("eager_devices", [] { return TheEagerContext().ListDevices(); });
  m.def("forget_eager_calls", [] { TheEagerContext().Forget(); });
  // Returns a value as an array, or None for the handle of a variable.
  m.def("eager_numpy",
        [](nb::handle value) { return Take(WrapTensor(EagerArg(value).value.tensor)); });
  m.def("eager_id", [](nb::handle value) { return EagerArg(value).id; });
  // Returns the handle of a new variable without a value.
  m.def("eager_variable",
        [](const std::string& name) { return Take(Wrap(EagerValue::NewVariable(name))); });
  // Runs an op of any type on EagerTensors. Returns the list of results.
  m.def("execute", [](PyGraph& graph, const std::string& type, nb::list inputs, nb::dict attrs) {
    const std::vector<EagerValue> args = EagerArgs(inputs);
    return CompileCall(&graph, type, ToAttrs(attrs, type), args).RunAll(args);
  });
  BindTape(m);
}

}  // namespace ramet::python
