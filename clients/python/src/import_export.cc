#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <utility>

#include "core.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

using Elements = std::vector<std::variant<Output, Operation>>;

std::string_view View(const nb::bytes& b) { return {b.c_str(), b.size()}; }

std::map<std::string, Output> ToOutputs(nb::dict tensors) {
  std::map<std::string, Output> all;
  for (auto [name, value] : tensors) all.emplace(ToText(name.ptr()), OutputArg(value));
  return all;
}

nb::list WrapElements(const Elements& elements) {
  nb::list all;
  for (const auto& element : elements) {
    all.append(Take(std::visit([](const auto& e) { return Wrap(e); }, element)));
  }
  return all;
}

// Makes new nodes run after the operations of the current control scopes, as in TensorFlow.
void AddOpenControls(PyGraph& graph, const std::vector<Operation>& operations) {
  std::vector<Operation> controls;
  for (const ControlScope& scope : graph.build_state().controls) {
    if (scope.clears) controls.clear();
    controls.insert(controls.end(), scope.controllers.begin(), scope.controllers.end());
  }
  for (const Operation& op : operations) {
    for (const Operation& control : controls) Check(graph.AddControlInput(op, control));
  }
}

// Records the trace of the import for the new nodes. Keeps TensorFlow's error class for bytes that
// are not a valid message; all other problems of the graph are wrong arguments.
template <class T>
T Imported(PyGraph& graph, StatusOr<T> result) {
  graph.NoteNewNodes();
  if (!result.ok()) RaiseBuildStatus(result.status());
  return *std::move(result);
}

nb::list ImportGraph(PyGraph& graph, nb::bytes graph_def, const std::string& name,
                     nb::dict input_map, const std::vector<std::string>& return_elements,
                     nb::bytes producer_op_list) {
  ImportOptions options;
  options.name = name;
  options.input_map = ToOutputs(input_map);
  options.return_elements = return_elements;
  options.producer_op_list = View(producer_op_list);
  graph.NoteNewNodes();
  auto imported = WithoutGil([&] { return ImportGraphDef(graph, View(graph_def), options); });
  const ImportResults results = Imported(graph, std::move(imported));
  AddOpenControls(graph, results.operations);
  return WrapElements(results.return_elements);
}

nb::list WrapVariables(const std::vector<Variable>& variables) {
  nb::list all;
  for (const Variable& v : variables) all.append(Take(WrapVariable(v)));
  return all;
}

nb::object SaverDefOf(PyGraph& graph, const std::optional<SaverNames>& names) {
  if (!names || names->restore_op_name.empty()) return nb::none();
  return Bytes(Value(Saver::FromNames(graph, *names).ToProto()));
}

nb::tuple ImportMeta(PyGraph& graph, nb::bytes meta_graph, const std::string& import_scope,
                     bool clear_devices, nb::dict input_map,
                     const std::vector<std::string>& return_elements) {
  ImportMetaGraphOptions options;
  options.import_scope = import_scope;
  options.clear_devices = clear_devices;
  options.input_map = ToOutputs(input_map);
  options.return_elements = return_elements;
  graph.NoteNewNodes();
  auto imported =
      WithoutGil([&] { return ImportMetaGraphBytes(graph, View(meta_graph), options); });
  const MetaGraphInfo info = Imported(graph, std::move(imported));
  AddOpenControls(graph, info.operations);
  return nb::make_tuple(info.prefix, SaverDefOf(graph, info.saver),
                        WrapElements(info.return_elements), WrapVariables(info.variables));
}

std::optional<SaverNames> ToSaverNames(PyGraph& graph, const std::optional<nb::bytes>& saver_def) {
  if (!saver_def) return std::nullopt;
  auto saver = Saver::FromProto(graph, View(*saver_def));
  if (!saver.ok()) RaiseBuildStatus(saver.status());
  return saver->definition();
}

// The GIL is held because items of collections are serialized by Python.
nb::bytes ExportMeta(PyGraph& graph, const std::string& export_scope, bool clear_devices,
                     bool strip_default_attrs, bool clear_extraneous_savers,
                     const std::optional<nb::bytes>& saver_def,
                     const std::optional<std::vector<std::string>>& collections) {
  ExportMetaGraphOptions options;
  options.export_scope = export_scope;
  options.clear_devices = clear_devices;
  options.strip_default_attrs = strip_default_attrs;
  options.clear_extraneous_savers = clear_extraneous_savers;
  options.saver = ToSaverNames(graph, saver_def);
  options.collections = collections;
  auto bytes = ExportMetaGraph(graph, options);
  if (!bytes.ok()) RaiseBuildStatus(bytes.status());
  return Bytes(*bytes);
}

nb::list OpDefs(const std::vector<std::string>& names) {
  nb::list all;
  for (const std::string& name : names) {
    const Op* op = OpRegistry::Global().Find(name);
    if (op != nullptr) all.append(Bytes(Value(ExportOpDef(*op))));
  }
  return all;
}

nb::bytes ConvertVariables(nb::handle session, nb::bytes graph_def,
                           const std::vector<std::string>& outputs,
                           const std::optional<std::vector<std::string>>& allow,
                           const std::vector<std::string>& deny) {
  Session& source = SessionOf(session);
  auto frozen = WithoutGil([&] {
    return ConvertVariablesToConstants(source, View(graph_def), outputs,
                                       {.allow = allow, .deny = deny});
  });
  return Bytes(Value(std::move(frozen)));
}

}  // namespace

void BindImportExport(nb::module_& m) {
  m.def("import_graph_def", &ImportGraph);
  m.def("import_meta_graph", &ImportMeta);
  m.def("export_meta_graph", &ExportMeta, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg().none());
  m.def("op_defs", &OpDefs);
  m.def("extract_sub_graph", [](nb::bytes graph_def, const std::vector<std::string>& nodes) {
    auto part = WithoutGil([&] { return ExtractSubGraph(View(graph_def), nodes); });
    return Bytes(Value(std::move(part)));
  });
  m.def("remove_training_nodes", [](nb::bytes graph_def, const std::vector<std::string>& kept) {
    auto rest = WithoutGil([&] { return RemoveTrainingNodes(View(graph_def), kept); });
    return Bytes(Value(std::move(rest)));
  });
  m.def("convert_variables_to_constants", &ConvertVariables, nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg());
}

}  // namespace ramet::python
