#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "core.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

std::string_view View(const nb::bytes& b) { return {b.c_str(), b.size()}; }

// Common arguments of a builder's calls: tags, serialized SignatureDefs by key, tensors that hold
// the paths of assets, an Operation or None, flags, a serialized SaverDef or None.
struct ModelGraphArgs {
  SavedModelGraph graph;
  std::optional<Saver> saver;

  ModelGraphArgs(Graph& g, const std::vector<std::string>& tags, nb::dict signatures,
                 nb::list assets, nb::handle main_op, bool clear_devices, bool strip_default_attrs,
                 const std::optional<nb::bytes>& saver_def) {
    graph.tags = tags;
    for (auto [key, value] : signatures) {
      const nb::bytes bytes = nb::cast<nb::bytes>(value);
      graph.signatures[ToText(key.ptr())] = Value(ParseSignature(View(bytes)));
    }
    for (nb::handle asset : assets) graph.assets.push_back({OutputArg(asset), ""});
    if (const PyOperation* op = AsOperation(main_op.ptr())) graph.main_op = op->operation();
    graph.clear_devices = clear_devices;
    graph.strip_default_attrs = strip_default_attrs;
    if (!saver_def) return;
    saver.emplace(Value(Saver::FromProto(g, View(*saver_def))));
    graph.saver = &*saver;
  }
};

// The GIL is held throughout because items of collections are serialized by Python.
void AddWithVariables(SavedModelBuilder& self, nb::handle session,
                      const std::vector<std::string>& tags, nb::dict signatures, nb::list assets,
                      nb::handle main_op, bool clear_devices, bool strip_default_attrs,
                      const std::optional<nb::bytes>& saver_def) {
  Session& source = SessionOf(session);
  ModelGraphArgs args(source.graph(), tags, signatures, assets, main_op, clear_devices,
                      strip_default_attrs, saver_def);
  const Status added = self.AddMetaGraphAndVariables(source, args.graph);
  GraphOf(&source.graph())->NoteNewNodes();
  if (!added.ok()) RaiseStatus(added, GraphOf(&source.graph())->self);
}

void AddGraph(SavedModelBuilder& self, PyGraph& graph, const std::vector<std::string>& tags,
              nb::dict signatures, nb::list assets, nb::handle main_op, bool clear_devices,
              bool strip_default_attrs, const std::optional<nb::bytes>& saver_def) {
  ModelGraphArgs args(graph, tags, signatures, assets, main_op, clear_devices, strip_default_attrs,
                      saver_def);
  const Status added = self.AddMetaGraph(graph, args.graph);
  graph.NoteNewNodes();
  if (!added.ok()) RaiseStatus(added, graph.self);
}

std::string Load(nb::handle session, const std::string& dir, const std::vector<std::string>& tags,
                 const std::string& import_scope, bool clear_devices, nb::dict input_map) {
  LoadSavedModelOptions options;
  options.import_scope = import_scope;
  options.clear_devices = clear_devices;
  for (auto [name, tensor] : input_map) {
    options.input_map.emplace(ToText(name.ptr()), OutputArg(tensor));
  }
  Session& target = SessionOf(session);
  PyGraph& graph = *GraphOf(&target.graph());
  graph.NoteNewNodes();
  auto loaded = WithoutGil([&] { return LoadSavedModel(target, dir, tags, options); });
  graph.NoteNewNodes();
  if (!loaded.ok()) RaiseStatus(loaded.status(), graph.self);
  return loaded->info.prefix;
}

}  // namespace

void BindSavedModel(nb::module_& m) {
  nb::class_<SavedModelBuilder>(m, "SavedModelBuilder")
      .def("__init__",
           [](SavedModelBuilder* self, const std::string& dir) {
             new (self) SavedModelBuilder(Value(SavedModelBuilder::Create(dir)));
           })
      .def("add_meta_graph_and_variables", &AddWithVariables, nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none())
      .def("add_meta_graph", &AddGraph, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none())
      .def("save", [](SavedModelBuilder& self, bool as_text) {
        return Value(WithoutGil([&] { return self.Save(as_text); }));
      });
  m.def("load_saved_model", &Load);
  m.def("maybe_saved_model_directory", &MaybeSavedModelDirectory);
}

}  // namespace ramet::python
