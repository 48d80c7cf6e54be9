#include "core.h"
#include "errors.h"
#include "interrupt.h"
#include "replica.h"

namespace ramet::python {
namespace {

void SetHook(PyObject** slot, nb::dict hooks, const char* name) {
  if (!hooks.contains(name)) return;
  PyObject* value = nb::object(hooks[name]).release().ptr();
  Py_XSETREF(*slot, value);
}

void SetHooks(nb::dict hooks) {
  Hooks& h = TheHooks();
  SetHook(&h.operation_class, hooks, "operation_class");
  SetHook(&h.tensor_class, hooks, "tensor_class");
  SetHook(&h.eager_tensor_class, hooks, "eager_tensor_class");
  SetHook(&h.eager_variable_class, hooks, "eager_variable_class");
  SetHook(&h.recorded_op, hooks, "recorded_op");
  SetHook(&h.dtypes, hooks, "dtypes");
  SetHook(&h.as_dtype, hooks, "as_dtype");
  SetHook(&h.make_shape, hooks, "make_shape");
  SetHook(&h.shape_as_list, hooks, "shape_as_list");
  SetHook(&h.convert, hooks, "convert");
  SetHook(&h.default_graph, hooks, "default_graph");
  SetHook(&h.graph_element, hooks, "graph_element");
  SetHook(&h.status_error, hooks, "status_error");
  SetHook(&h.named_outputs, hooks, "named_outputs");
  SetHook(&h.op_created, hooks, "op_created");
  SetHook(&h.variable_object, hooks, "variable_object");
  SetHook(&h.tensor_proto, hooks, "tensor_proto");
}

// When Python ends a thread, the unwinding has no exception object and the pointer is null.
void Translate(const std::exception_ptr& thrown, void*) {
  if (thrown == nullptr) Park();
  try {
    std::rethrow_exception(thrown);
  } catch (...) {
    SetErrorOfException();
  }
}

}  // namespace
}  // namespace ramet::python

NB_MODULE(_core, m) {
  using namespace ramet::python;
  nb::set_leak_warnings(false);
  nb::register_exception_translator(Translate);
  InitializeGil();
  InitializeCalls();
  ImportNumpy();
  m.def("end_callbacks", &EndCallbacks);
  m.def("set_hooks", &SetHooks);
  BindHandles(m);
  BindScopes(m);
  BindCollections(m);
  BindOpFunctions(m);
  BindBuilding(m);
  BindEager(m);
  BindFunctions(m);
  BindControlFlow(m);
  BindSession(m);
  BindPartialRun(m);
  BindGradients(m);
  BindHostFunctions(m);
  BindVariables(m);
  BindCheckpoint(m);
  BindImportExport(m);
  BindSavedModel(m);
  BindData(m);
  BindDeviceWork(m);
  BindDraw(m);
  BindEdits(m);
  BindClones(m);
  BindPublisher(m);
  BindFollower(m);
  BindMonitor(m);
}
