#include "core.h"

namespace ramet::python {
namespace {

Operation OperationOf(nb::handle h) {
  if (const PyOperation* op = AsOperation(h.ptr())) return op->operation();
  return OutputArg(h).op();
}

std::vector<Output> TensorsOf(nb::list list) {
  std::vector<Output> all;
  for (nb::handle h : list) all.push_back(OutputArg(h));
  return all;
}

nb::object Wrapped(const Output& output) {
  return output.valid() ? Take(Wrap(output)) : nb::none();
}

nb::list WrapAll(const std::vector<Output>& outputs) {
  nb::list all;
  for (const Output& output : outputs) all.append(Wrapped(output));
  return all;
}

CondContext& Cond(const PyContext& c) {
  auto* cond = dynamic_cast<CondContext*>(c.context);
  if (cond == nullptr)
    RaiseTypeError("the context '", c.context->name(), "' does not belong to a cond");
  return *cond;
}

WhileContext& While(const PyContext& c) {
  auto* loop = dynamic_cast<WhileContext*>(c.context);
  if (loop == nullptr)
    RaiseTypeError("the context '", c.context->name(), "' does not belong to a while loop");
  return *loop;
}

// Returns the result of a call that may have added nodes, after recording them.
template <class T>
T Added(const PyContext& c, StatusOr<T> result) {
  c.graph->NoteNewNodes();
  if (!result.ok()) RaiseBuildStatus(result.status());
  return *std::move(result);
}

nb::object NewCond(PyGraph& graph, nb::handle pred, nb::handle pivot, int branch) {
  graph.UseThread();
  return WrapContext(&CondContext::New(graph, OutputArg(pred), OutputArg(pivot), branch));
}

nb::object NewWhile(PyGraph& graph, int parallel_iterations, bool back_prop, bool swap_memory,
                    nb::handle maximum_iterations) {
  graph.UseThread();
  WhileOptions options;
  options.parallel_iterations = parallel_iterations;
  options.back_prop = back_prop;
  options.swap_memory = swap_memory;
  if (!maximum_iterations.is_none()) options.maximum_iterations = OutputArg(maximum_iterations);
  return WrapContext(&WhileContext::New(graph, options));
}

nb::list Begin(PyContext& c, nb::list values, nb::handle invariants) {
  std::vector<Shape> shapes;
  if (!invariants.is_none()) {
    for (nb::handle shape : nb::borrow<nb::list>(invariants)) {
      shapes.push_back(ToShape(shape.ptr()));
    }
  }
  c.graph->UseThread();
  return WrapAll(Added(c, While(c).Begin(TensorsOf(values), shapes)));
}

// Returns a message, or None if the context is outside of the scope.
nb::object ToProto(PyContext& c, nb::handle export_scope) {
  std::string scope = export_scope.is_none() ? "" : ToText(export_scope.ptr());
  if (scope.ends_with('/')) scope.pop_back();
  if (!c.context->name().starts_with(scope)) return nb::none();
  const std::string bytes = ContextToProto(*c.context, scope);
  nb::module_ messages = nb::module_::import_("ramet.core.protobuf.control_flow_pb2");
  const bool cond = dynamic_cast<CondContext*>(c.context) != nullptr;
  return messages.attr(cond ? "CondContextDef" : "WhileContextDef")
      .attr("FromString")(nb::bytes(bytes.data(), bytes.size()));
}

void BindCond(nb::class_<PyContext>& type) {
  type.def_prop_ro("pred", [](PyContext& c) { return Wrapped(Cond(c).pred()); })
      .def_prop_ro("pivot",
                   [](PyContext& c) {
                     if (auto* loop = dynamic_cast<WhileContext*>(c.context)) {
                       return Wrapped(loop->pivot());
                     }
                     return Wrapped(Cond(c).pivot());
                   })
      .def_prop_ro("branch", [](PyContext& c) { return Cond(c).branch(); })
      .def("_process_output", [](PyContext& c, nb::handle value) {
        c.graph->UseThread();
        return Wrapped(Added(c, Cond(c).ProcessOutput(OutputArg(value))));
      });
}

void BindWhile(nb::class_<PyContext>& type) {
  type.def("_begin", &Begin, nb::arg(), nb::arg().none())
      .def("_set_condition",
           [](PyContext& c, nb::handle condition) {
             c.graph->UseThread();
             return WrapAll(Added(c, While(c).SetCondition(OutputArg(condition))));
           })
      .def("_finish",
           [](PyContext& c, nb::list values) {
             c.graph->UseThread();
             return WrapAll(Added(c, While(c).Finish(TensorsOf(values))));
           })
      .def_prop_ro("parallel_iterations",
                   [](PyContext& c) { return While(c).options().parallel_iterations; })
      .def_prop_ro("back_prop", [](PyContext& c) { return While(c).options().back_prop; })
      .def_prop_ro("swap_memory", [](PyContext& c) { return While(c).options().swap_memory; })
      .def_prop_ro("maximum_iterations",
                   [](PyContext& c) { return Wrapped(While(c).options().maximum_iterations); })
      .def_prop_ro("loop_enters", [](PyContext& c) { return WrapAll(While(c).loop_enters()); })
      .def_prop_ro("loop_exits", [](PyContext& c) { return WrapAll(While(c).loop_exits()); });
}

void BindContext(nb::module_& m) {
  nb::class_<PyContext> type(m, "ControlFlowContext");
  type.def_prop_ro("name", [](PyContext& c) { return c.context->name(); })
      .def_prop_ro("outer_context", [](PyContext& c) { return WrapContext(c.context->outer()); })
      .def("Enter", [](PyContext& c) { c.context->Enter(); })
      .def("Exit", [](PyContext& c) { c.context->Exit(); })
      .def("ExitResult",
           [](PyContext& c, nb::list results) { c.context->ExitResult(TensorsOf(results)); })
      .def("AddValue",
           [](PyContext& c, nb::handle value) {
             c.graph->UseThread();
             return Wrapped(Added(c, c.context->AddValue(OutputArg(value))));
           })
      .def("IsWhileContext",
           [](PyContext& c) { return dynamic_cast<WhileContext*>(c.context) != nullptr; })
      .def("IsCondContext",
           [](PyContext& c) { return dynamic_cast<CondContext*>(c.context) != nullptr; })
      .def("IsXLAContext", [](PyContext&) { return false; })
      .def("GetWhileContext", [](PyContext& c) { return WrapContext(c.context->while_context()); })
      .def("GetControlPivot", [](PyContext& c) { return Wrapped(c.context->control_pivot()); })
      .def("to_proto", &ToProto, nb::arg("export_scope").none() = nb::none())
      .def("_add_to_collection", [](PyContext& c) { AddToCollection(*c.context); })
      .def("__eq__",
           [](PyContext& c, nb::handle other) {
             PyContext* o;
             return nb::try_cast(other, o) && o != nullptr && o->context == c.context;
           })
      .def("__hash__", [](PyContext& c) { return std::hash<const void*>()(c.context); });
  BindCond(type);
  BindWhile(type);
}

}  // namespace

nb::object WrapContext(ControlFlowContext* context) {
  if (context == nullptr) return nb::none();
  return nb::cast(new PyContext(context), nb::rv_policy::take_ownership);
}

void BindControlFlow(nb::module_& m) {
  BindContext(m);
  m.def("cond_context", &NewCond);
  m.def("while_context", &NewWhile, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("current_context", [](PyGraph& g) { return WrapContext(CurrentContext(g)); });
  m.def(
      "set_current_context",
      [](PyGraph& g, PyContext* c) {
        g.build_state().control_flow.current = c == nullptr ? nullptr : c->context;
      },
      nb::arg(), nb::arg().none());
  m.def("context_of", [](nb::handle op) { return WrapContext(ContextOf(OperationOf(op))); });
  m.def(
      "set_context_of",
      [](nb::handle op, PyContext* c) {
        SetContext(OperationOf(op), c == nullptr ? nullptr : c->context);
      },
      nb::arg(), nb::arg().none());
  m.def("prevent_fetching",
        [](PyGraph& g, nb::handle op) { g.unfetchable.insert(OperationOf(op).id()); });
  m.def("prevent_feeding",
        [](PyGraph& g, nb::handle tensor) { g.unfeedable.insert(OutputArg(tensor)); });
  m.def("is_fetchable",
        [](PyGraph& g, nb::handle op) { return !g.unfetchable.contains(OperationOf(op).id()); });
  m.def("is_feedable",
        [](PyGraph& g, nb::handle tensor) { return !g.unfeedable.contains(OutputArg(tensor)); });
}

}  // namespace ramet::python
