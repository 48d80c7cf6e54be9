#include "core.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

uint64_t TensorKey(NodeId id, int index) {
  return (static_cast<uint64_t>(id) << 32) | static_cast<uint32_t>(index);
}

PyTypeObject*& GraphType() {
  static PyTypeObject* type = nullptr;
  return type;
}

// The caches of handles create cycles with their graph, which Python's collector must see.
int TraverseGraph(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  PyGraph* graph = nb::inst_ptr<PyGraph>(self);
  for (PyObject* object : graph->operation_objects) Py_VISIT(object);
  for (PyObject* object : graph->tensor_objects) Py_VISIT(object);
  for (auto& [key, object] : graph->other_tensor_objects) Py_VISIT(object);
  return 0;
}

int ClearGraph(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PyGraph>(self)->ClearHandles();
  return 0;
}

template <class Handle>
int TraverseHandle(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  if (PyGraph* graph = nb::inst_ptr<Handle>(self)->graph) Py_VISIT(graph->self);
  return 0;
}

PyType_Slot graph_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(TraverseGraph)},
                             {Py_tp_clear, reinterpret_cast<void*>(ClearGraph)},
                             {0, nullptr}};
PyType_Slot operation_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(TraverseHandle<PyOperation>)}, {0, nullptr}};
PyType_Slot tensor_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(TraverseHandle<PyTensor>)},
                              {0, nullptr}};

PyTypeObject* native_operation = nullptr;
PyTypeObject* native_tensor = nullptr;

// Creates a handle of the Python half's class, which derives from the native one.
template <class Handle, class... Args>
PyObject* NewHandle(PyObject* python_class, Args&&... args) {
  nb::object object = nb::inst_alloc(python_class);
  new (nb::inst_ptr<Handle>(object)) Handle(std::forward<Args>(args)...);
  nb::inst_mark_ready(object);
  return object.release().ptr();
}

template <class T>
T& Slot(std::vector<T>& all, size_t i) {
  if (all.size() <= i) all.resize(std::max(i + 1, all.size() * 3 / 2));
  return all[i];
}

nb::list WrapAll(const std::vector<Output>& outputs) {
  nb::list all;
  for (const Output& o : outputs) all.append(Take(Wrap(o)));
  return all;
}

nb::list WrapAll(const std::vector<Operation>& operations) {
  nb::list all;
  for (const Operation& o : operations) all.append(Take(Wrap(o)));
  return all;
}

const std::vector<std::pair<NodeId, int>>& ConsumersOf(PyGraph* graph, NodeId id) {
  if (graph->consumers_version != graph->version() ||
      graph->consumers.size() != static_cast<size_t>(graph->num_operations())) {
    graph->consumers.assign(graph->num_operations(), {});
    for (const Operation& op : graph->operations()) {
      for (const Output& in : op.inputs()) {
        graph->consumers[in.op().id()].push_back({op.id(), in.index()});
      }
    }
    graph->consumers_version = graph->version();
  }
  return graph->consumers[id];
}

// Returns a tensor that has the named attribute because it is part of a graph.
const PyTensor& OfGraph(const PyTensor& t, const char* attribute) {
  if (t.graph != nullptr) return t;
  Raise(PyExc_AttributeError,
        StrCat("Tensor.", attribute, " is undefined when eager execution is enabled."));
}

nb::list Consumers(const PyTensor& t) {
  nb::list all;
  OfGraph(t, "consumers");
  for (auto [reader, index] : ConsumersOf(t.graph, t.id)) {
    if (index == t.index) all.append(Take(Wrap(Operation(t.graph, reader))));
  }
  return all;
}

nb::object GetAttr(const PyOperation& op, const std::string& name) {
  auto attrs = op.operation().attrs();
  const Attr* attr = attrs->Find(name);
  if (attr == nullptr || name.starts_with("_ramet_")) {
    RaiseValueError("Operation '", op.operation().name(), "' has no attr named '", name, "'.");
  }
  return Take(WrapAttr(*attr));
}

nb::object FindByName(PyGraph& graph, const std::string& name, bool tensor) {
  if (tensor) {
    auto found = graph.Tensor(name);
    if (found.ok()) return Take(Wrap(*found));
    Raise(IsNotFound(found.status()) ? PyExc_KeyError : PyExc_ValueError, found.status().message());
  }
  auto found = graph.FindOperation(name);
  if (found.ok()) return Take(Wrap(*found));
  Raise(IsNotFound(found.status()) ? PyExc_KeyError : PyExc_ValueError, found.status().message());
}

void BindGraph(nb::module_& m) {
  auto type =
      nb::class_<PyGraph>(m, "Graph", nb::type_slots(graph_slots), nb::is_weak_referenceable());
  GraphType() = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def("__init__",
           [](nb::pointer_and_handle<PyGraph> self) { new (self.p) PyGraph(self.h.ptr()); })
      .def("_num_operations", [](PyGraph& g) { return g.num_operations(); })
      .def("get_operations", [](PyGraph& g) { return WrapAll(g.operations()); })
      .def("_find", &FindByName)
      .def("_has_operation", [](PyGraph& g, const std::string& n) { return g.HasOperation(n); })
      .def("_graph_def",
           [](PyGraph& g, bool add_shapes, bool strip_default_attrs) {
             auto bytes = WithoutGil([&] {
               return ExportGraphDef(
                   g, {.add_shapes = add_shapes, .strip_default_attrs = strip_default_attrs});
             });
             return Bytes(Value(std::move(bytes)));
           })
      .def("_unique_name", [](PyGraph& g, const std::string& name,
                              bool mark_as_used) { return g.UniqueName(name, mark_as_used); })
      .def_prop_ro("_version", [](PyGraph& g) { return g.num_operations(); })
      .def_prop_ro("_change", [](PyGraph& g) { return g.version(); })
      .def("_finalize", [](PyGraph& g) { g.Finalize(); })
      .def_prop_ro("_finalized", [](PyGraph& g) { return g.finalized(); })
      .def_prop_rw(
          "_producer", [](PyGraph& g) { return g.versions().producer; },
          [](PyGraph& g, int v) { g.versions().producer = v; })
      .def_prop_rw(
          "_min_consumer", [](PyGraph& g) { return g.versions().min_consumer; },
          [](PyGraph& g, int v) { g.versions().min_consumer = v; })
      .def(
          "_seeds",
          [](PyGraph& g, nb::object op_seed) {
            const int64_t seed = op_seed.is_none() ? 0 : nb::cast<int64_t>(op_seed);
            auto [graph_seed, own] = g.SeedsForOp(op_seed.is_none() ? nullptr : &seed);
            return nb::make_tuple(graph_seed, own);
          },
          nb::arg().none())
      .def("_set_seed", [](PyGraph& g, int64_t seed) { g.SetSeed(seed); })
      .def_prop_rw(
          "_hooked", [](PyGraph& g) { return g.hooked; },
          [](PyGraph& g, bool hooked) { g.hooked = hooked; })
      .def_prop_rw(
          "_container", [](PyGraph& g) { return g.container; },
          [](PyGraph& g, const std::string& c) { g.container = c; })
      .def("_set_attr",
           [](PyGraph& g, nb::handle op, const std::string& name, nb::handle value) {
             AttrSchema schema;
             schema.name = name;
             const AttrSchema* known = OperationArg(op).op().schema().FindAttr(name);
             Check(g.SetAttr(OperationArg(op), name,
                             ToAttr(value.ptr(), known ? *known : schema, "")));
           })
      .def("_set_device",
           [](PyGraph& g, nb::handle op, const std::string& device) {
             Status set = g.SetDevice(OperationArg(op), device);
             if (!set.ok()) RaiseBuildStatus(set);
           })
      .def("_update_input",
           [](PyGraph& g, nb::handle op, int index, nb::handle tensor) {
             Status done = g.UpdateInput(OperationArg(op), index, OutputArg(tensor));
             if (!done.ok()) RaiseBuildStatus(done);
           })
      .def("_add_control_input", [](PyGraph& g, nb::handle op, nb::handle control) {
        Status done = g.AddControlInput(OperationArg(op), OperationArg(control));
        if (!done.ok()) RaiseBuildStatus(done);
      });
}

void BindOperation(nb::module_& m) {
  auto type = nb::class_<PyOperation>(m, "Operation", nb::type_slots(operation_slots));
  native_operation = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro("graph", [](PyOperation& o) { return nb::borrow(o.graph->self); })
      .def_prop_ro("name", [](PyOperation& o) { return o.operation().name(); })
      .def_prop_ro("type", [](PyOperation& o) { return o.operation().type(); })
      .def_prop_ro("device", [](PyOperation& o) { return o.operation().device(); })
      .def_prop_ro("_id", [](PyOperation& o) { return o.id; })
      .def_prop_ro("inputs", [](PyOperation& o) { return WrapAll(o.operation().inputs()); })
      .def_prop_ro("outputs", [](PyOperation& o) { return WrapAll(o.operation().outputs()); })
      .def_prop_ro("control_inputs",
                   [](PyOperation& o) { return WrapAll(o.operation().control_inputs()); })
      .def("get_attr", &GetAttr, nb::arg("name"))
      .def("_attr_names",
           [](PyOperation& o) {
             nb::list names;
             for (const auto& [name, value] : *o.operation().attrs()) {
               if (!name.starts_with("_ramet_")) names.append(name);
             }
             return names;
           })
      .def("_node_def", [](PyOperation& o) { return Bytes(Value(ExportNodeDef(o.operation()))); })
      .def("_op_def", [](PyOperation& o) { return Bytes(Value(ExportOpDef(o.operation().op()))); })
      .def("_trace", [](PyOperation& o) { return o.graph->traces.Of(o.id); });
}

void BindTensor(nb::module_& m) {
  auto type = nb::class_<PyTensor>(m, "Tensor", nb::type_slots(tensor_slots));
  native_tensor = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro("graph", [](PyTensor& t) { return nb::borrow(OfGraph(t, "graph").graph->self); })
      .def_prop_ro("op", [](PyTensor& t) { return Take(Wrap(OfGraph(t, "op").output().op())); })
      .def_prop_ro("name", [](PyTensor& t) { return OfGraph(t, "name").output().name(); })
      .def_prop_ro("device",
                   [](PyTensor& t) { return OfGraph(t, "device").output().op().device(); })
      .def_prop_ro("value_index", [](PyTensor& t) { return OfGraph(t, "value_index").index; })
      .def_prop_ro("dtype", [](PyTensor& t) { return Take(WrapDType(t.dtype())); })
      .def_prop_ro("shape", [](PyTensor& t) { return Take(WrapShape(t.shape())); })
      .def("_rank", [](PyTensor& t) { return t.shape().rank(); })
      .def("_dims",
           [](PyTensor& t) -> nb::object {
             const Shape shape = t.shape();
             if (shape.unknown_rank()) return nb::none();
             nb::list dims;
             for (int64_t d : shape.dims()) dims.append(d);
             return dims;
           })
      .def("_set_shape",
           [](PyTensor& t, nb::handle shape) {
             Status set =
                 OfGraph(t, "_set_shape").graph->SetShape(t.output(), ToShape(shape.ptr()));
             if (!set.ok()) RaiseBuildStatus(set);
           })
      .def("consumers", &Consumers);
}

}  // namespace

Operation OperationArg(nb::handle h) {
  const PyOperation* op = AsOperation(h.ptr());
  if (op == nullptr) RaiseTypeError("an Operation is expected, not ", Py_TYPE(h.ptr())->tp_name);
  return op->operation();
}

Output OutputArg(nb::handle h) {
  const PyTensor* tensor = AsTensor(h.ptr());
  if (tensor == nullptr) RaiseTypeError("a Tensor is expected, not ", Py_TYPE(h.ptr())->tp_name);
  return tensor->output();
}

PyGraph::~PyGraph() { ClearHandles(); }

void PyGraph::ClearHandles() {
  auto operations = std::move(operation_objects);
  auto tensors = std::move(tensor_objects);
  auto others = std::move(other_tensor_objects);
  operation_objects.clear();
  tensor_objects.clear();
  other_tensor_objects.clear();
  for (PyObject* object : operations) Py_XDECREF(object);
  for (PyObject* object : tensors) Py_XDECREF(object);
  for (auto& [key, object] : others) Py_XDECREF(object);
}

void PyGraph::UseThread() {
  const unsigned long current = PyThread_get_thread_ident();
  if (current == thread) return;
  std::string& stack = build_state().name_stack;
  if (thread != 0) name_stacks[thread] = std::move(stack);
  auto known = name_stacks.find(current);
  stack = known == name_stacks.end() ? "" : known->second;
  thread = current;
}

// Values inside a branch or loop exist once per iteration or not at all, so they cannot be fetched,
// nor fed within a loop. Like TensorFlow, runs may fetch the initial values of a loop's variables.
void PyGraph::HoldBackInner(size_t first, size_t count) {
  if (build_state().control_flow.contexts.empty()) return;
  for (size_t id = first; id < count; ++id) {
    const Operation op = operation(static_cast<NodeId>(id));
    ControlFlowContext* context = ContextOf(op);
    const std::string& type = op.type();
    const bool exit = type == "Exit" || type == "RefExit";
    if (context == nullptr || (exit && context->outer() == nullptr)) continue;
    const bool enter = type == "Enter" || type == "RefEnter";
    if (!enter || context->outer() != nullptr) unfetchable.insert(op.id());
    if (context->while_context() == nullptr) continue;
    for (const Output& output : op.outputs()) unfeedable.insert(output);
  }
}

void PyGraph::NoteNewNodes() {
  const size_t count = num_operations();
  if (count == traced) return;
  const size_t first = std::exchange(traced, count);
  traces.Assign(first, count, traces.Current());
  HoldBackInner(first, count);
  if (!hooked) return;
  for (size_t id = first; id < count; ++id) {
    nb::object op = Take(Wrap(operation(static_cast<NodeId>(id))));
    Take(Checked(PyObject_CallFunctionObjArgs(TheHooks().op_created, self, op.ptr(), nullptr)));
  }
}

PyObject* Wrap(const Operation& operation) {
  PyGraph* graph = GraphOf(operation.graph());
  PyObject*& object = Slot(graph->operation_objects, operation.id());
  if (object == nullptr) {
    PyObject* made = NewHandle<PyOperation>(TheHooks().operation_class, graph, operation.id());
    Slot(graph->operation_objects, operation.id()) = made;
    return Py_NewRef(made);
  }
  return Py_NewRef(object);
}

PyObject* Wrap(const Output& output) {
  PyGraph* graph = GraphOf(output.graph());
  const NodeId id = output.op().id();
  PyObject*& object = output.index() == 0
                          ? Slot(graph->tensor_objects, id)
                          : graph->other_tensor_objects[TensorKey(id, output.index())];
  if (object == nullptr) {
    object = NewHandle<PyTensor>(TheHooks().tensor_class, graph, id, output.index());
  }
  return Py_NewRef(object);
}

PyObject* Wrap(EagerValue value) {
  return NewHandle<PyTensor>(TheHooks().eager_tensor_class, std::move(value));
}

PyObject* WrapVariable(const Variable& variable) {
  return Checked(PyObject_CallFunction(TheHooks().variable_object, "Oi",
                                       GraphOf(variable.graph())->self, variable.id()));
}

PyGraph* AsGraph(PyObject* object) {
  return PyObject_TypeCheck(object, GraphType()) ? nb::inst_ptr<PyGraph>(object) : nullptr;
}

const PyOperation* AsOperation(PyObject* object) {
  return PyObject_TypeCheck(object, native_operation) ? nb::inst_ptr<PyOperation>(object) : nullptr;
}

const PyTensor* AsTensor(PyObject* object) {
  if (!PyObject_TypeCheck(object, native_tensor)) return nullptr;
  const PyTensor* tensor = nb::inst_ptr<PyTensor>(object);
  return tensor->graph != nullptr ? tensor : nullptr;
}

EagerValue* AsEager(PyObject* object) {
  if (!PyObject_TypeCheck(object, native_tensor)) return nullptr;
  return nb::inst_ptr<PyTensor>(object)->eager.get();
}

PyGraph* DefaultGraph() {
  nb::object graph = Take(Checked(PyObject_CallNoArgs(TheHooks().default_graph)));
  PyGraph* found = AsGraph(graph.ptr());
  if (found == nullptr) RaiseTypeError("the default graph is not a Graph");
  return found;
}

void BindHandles(nb::module_& m) {
  BindGraph(m);
  BindOperation(m);
  BindTensor(m);
  m.def("constant_value", [](nb::handle tensor) -> nb::object {
    if (const EagerValue* eager = AsEager(tensor.ptr())) {
      return eager->value.variable ? nb::none() : Take(WrapTensor(eager->value.tensor));
    }
    ramet::Tensor value = ConstantValue(OutputArg(tensor));
    return value.empty() ? nb::none() : Take(WrapTensor(value.DeepCopy().value()));
  });
}

}  // namespace ramet::python
