#include "core.h"
#include "errors.h"

namespace ramet::python {
namespace {

Variable VariableOf(PyGraph& graph, VariableId id) {
  if (id < 0 || id >= static_cast<VariableId>(graph.variables().size())) {
    RaiseValueError("the graph has no variable ", id);
  }
  return Variable(&graph, id);
}

std::vector<std::string> Texts(nb::handle values) {
  std::vector<std::string> texts;
  for (nb::handle v : values) texts.push_back(ToText(v.ptr()));
  return texts;
}

std::vector<int64_t> Numbers(nb::handle values) {
  std::vector<int64_t> numbers;
  for (nb::handle v : values) numbers.push_back(nb::cast<int64_t>(v));
  return numbers;
}

nb::list NumberList(const std::vector<int64_t>& numbers) {
  nb::list all;
  for (int64_t n : numbers) all.append(n);
  return all;
}

// Raises the error that graph construction left in the graph, without the library's source line.
[[noreturn]] void RaiseGraphError(PyGraph& graph) {
  RaiseBuildStatus(WithoutSourceLine(graph.TakeError()));
}

// Puts new nodes into the colocation group of a variable ("" for none) while it is entered.
class VariableGroup {
 public:
  VariableGroup(nb::object graph, std::string group)
      : graph_(std::move(graph)), group_(std::move(group)) {}
  void Enter() { outer_ = std::exchange(Current(), group_); }
  void Exit() { Current() = std::move(outer_); }

 private:
  std::string& Current() { return AsGraph(graph_.ptr())->build_state().variable_group; }

  nb::object graph_;
  std::string group_, outer_;
};

VariableId Make(PyGraph& graph, const std::string& full_name, nb::handle initial_value,
                bool is_resource, bool trainable, nb::handle collections, nb::handle shape,
                bool validate_shape, nb::handle caching_device, const std::string& container,
                int synchronization, int aggregation) {
  VariableOptions options;
  options.trainable = trainable;
  options.collections = Texts(collections);
  options.use_resource = is_resource;
  if (!shape.is_none()) options.shape = ToShape(shape.ptr());
  options.validate_shape = validate_shape;
  if (!caching_device.is_none()) options.caching_device = ToText(caching_device.ptr());
  options.container = container;
  options.synchronization = synchronization;
  options.aggregation = aggregation;
  const Variable made = MakeVariable(graph, full_name, OutputArg(initial_value), options);
  graph.NoteNewNodes();
  if (!made.valid()) RaiseGraphError(graph);
  return made.id();
}

VariableId Add(PyGraph& graph, nb::handle variable, nb::handle initializer, nb::handle snapshot,
               nb::handle initial_value, bool is_resource, bool trainable, int synchronization,
               int aggregation) {
  VariableRecord record;
  record.variable = OutputArg(variable);
  record.initializer = OperationArg(initializer);
  record.snapshot = OutputArg(snapshot);
  if (!initial_value.is_none()) record.initial_value = OutputArg(initial_value);
  record.is_resource = is_resource;
  record.trainable = trainable;
  record.synchronization = synchronization;
  record.aggregation = aggregation;
  return graph.AddVariable(std::move(record));
}

nb::object Part(PyGraph& graph, VariableId id, std::string_view which) {
  const VariableRecord& record = VariableOf(graph, id).record();
  auto tensor = [](const Output& o) { return o.valid() ? Take(Wrap(o)) : nb::none(); };
  if (which == "variable") return tensor(record.variable);
  if (which == "snapshot") return tensor(record.snapshot);
  if (which == "initial_value") return tensor(record.initial_value);
  return record.initializer.valid() ? Take(Wrap(record.initializer)) : nb::none();
}

nb::object Slice(PyGraph& graph, VariableId id) {
  const auto& slice = VariableOf(graph, id).record().save_slice_info;
  if (!slice) return nb::none();
  return nb::make_tuple(slice->full_name, NumberList(slice->full_shape),
                        NumberList(slice->var_offset), NumberList(slice->var_shape));
}

void SetSlice(PyGraph& graph, VariableId id, nb::handle parts) {
  std::optional<SaveSliceInfo> slice;
  if (!parts.is_none()) {
    slice = SaveSliceInfo{ToText(nb::object(parts[0]).ptr()), Numbers(nb::object(parts[1])),
                          Numbers(nb::object(parts[2])), Numbers(nb::object(parts[3]))};
  }
  EditVariable(VariableOf(graph, id),
               [&](VariableRecord& record) { record.save_slice_info = std::move(slice); });
}

nb::object Find(PyGraph& graph, nb::handle variable) {
  const Output wanted = OutputArg(variable);
  const std::vector<VariableRecord>& all = graph.variables();
  for (size_t id = 0; id < all.size(); ++id) {
    if (all[id].variable == wanted) return nb::int_(id);
  }
  return nb::none();
}

nb::object Noted(PyGraph& graph, const Output& made) {
  graph.NoteNewNodes();
  if (!made.valid()) RaiseGraphError(graph);
  return Take(Wrap(made));
}

}  // namespace

void BindVariables(nb::module_& m) {
  nb::class_<VariableGroup>(m, "variable_group")
      .def(nb::init<nb::object, std::string>())
      .def("__enter__", &VariableGroup::Enter)
      .def("__exit__", [](VariableGroup& group, nb::args) { group.Exit(); });
  m.def("make_variable", &Make, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  m.def("add_variable", &Add, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg());
  m.def("find_variable", &Find);
  m.def("variable_part",
        [](PyGraph& g, VariableId id, nb::str which) { return Part(g, id, which.c_str()); });
  m.def("variable_numbers", [](PyGraph& g, VariableId id) {
    const VariableRecord& record = VariableOf(g, id).record();
    return nb::make_tuple(record.trainable, record.synchronization, record.aggregation);
  });
  m.def("variable_is_resource",
        [](PyGraph& g, VariableId id) { return VariableOf(g, id).record().is_resource; });
  m.def("variable_slice", &Slice);
  m.def("set_variable_slice", &SetSlice, nb::arg(), nb::arg(), nb::arg().none());
  m.def("read_variable", [](PyGraph& g, VariableId id, const std::string& name) {
    return Noted(g, ReadVariable(VariableOf(g, id), name));
  });
  m.def("initialized_value",
        [](PyGraph& g, VariableId id) { return Noted(g, InitializedValue(VariableOf(g, id))); });
}

}  // namespace ramet::python
