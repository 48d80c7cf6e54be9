#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "core.h"
#include "errors.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

// The variables of a graph by their references and handles.
class VariablesByOutput {
 public:
  explicit VariablesByOutput(PyGraph& graph) : graph_(graph) {
    const std::vector<VariableRecord>& records = graph.variables();
    for (size_t i = 0; i < records.size(); ++i) ids_[Key(records[i].variable)] = VariableId(i);
  }

  // A variable that only an op created is recorded as a variable.
  Variable Find(const Output& output) {
    auto [found, is_new] = ids_.try_emplace(Key(output), VariableId());
    if (is_new) {
      if (output.dtype() == DType::kResource) {
        RaiseTypeError("the handle ", output.name(), " is not that of a Variable");
      }
      VariableRecord record;
      record.variable = record.snapshot = output;
      found->second = graph_.AddVariable(std::move(record));
    }
    return Variable(&graph_, found->second);
  }

 private:
  static std::pair<NodeId, int> Key(const Output& o) { return {o.op().id(), o.index()}; }

  PyGraph& graph_;
  std::map<std::pair<NodeId, int>, VariableId> ids_;
};

// Calls Python's restore(tensors, shapes) while the library creates the saver's nodes.
Operation CallRestore(nb::handle restore, const std::vector<Output>& restored,
                      const std::vector<Input>& shapes) {
  nb::list tensors, dims;
  for (const Output& o : restored) tensors.append(Take(Wrap(o)));
  for (const Input& s : shapes) {
    dims.append(Take(s.is_constant() ? WrapTensor(s.constant()) : Wrap(s.output())));
  }
  nb::object op =
      Take(PyObject_CallFunctionObjArgs(restore.ptr(), tensors.ptr(), dims.ptr(), nullptr));
  if (!op.is_valid()) return Operation();
  const PyOperation* made = AsOperation(op.ptr());
  if (made != nullptr) return made->operation();
  PyErr_Format(PyExc_TypeError, "restore of a SaveableObject returned %R, not an Operation",
               op.ptr());
  return Operation();
}

SaveableObject ToSaveable(nb::handle item) {
  SaveableObject object;
  object.name = nb::cast<std::string>(item[0]);
  for (nb::handle spec : nb::object(item[1])) {
    object.specs.push_back({OutputArg(nb::object(spec[0])), nb::cast<std::string>(spec[1]),
                            nb::cast<std::string>(spec[2])});
  }
  nb::object restore = item[2];
  object.restore = [restore](const std::vector<Output>& restored,
                             const std::vector<Input>& shapes) {
    return CallRestore(restore, restored, shapes);
  };
  return object;
}

void AddSaved(VariablesByOutput& variables, nb::handle item, SaverOptions* options) {
  std::vector<Variable> parts;
  for (nb::handle tensor : nb::object(item[2])) parts.push_back(variables.Find(OutputArg(tensor)));
  const bool is_partitioned = nb::cast<bool>(item[1]);
  SavedVariable saved = is_partitioned ? SavedVariable(parts) : SavedVariable(parts[0]);
  nb::object stored_as = item[3];
  if (!stored_as.is_none()) saved.StoredAs(ToDType(stored_as.ptr()));
  options->var_map.emplace_back(nb::cast<std::string>(item[0]), std::move(saved));
}

// A Saver, and the object that keeps its graph alive.
struct PySaver {
  nb::object graph;
  Saver saver;

  void Raise(const Status& status) {
    if (!status.ok()) RaiseStatus(status, graph.ptr());
  }
};

void MakeSaver(PySaver* self, PyGraph& graph, nb::list saved, nb::list objects, bool reshape,
               bool sharded, int max_to_keep, double keep_checkpoint_every_n_hours,
               const std::string& name, int write_version, bool pad_step_number,
               bool save_relative_paths, const std::string& filename) {
  SaverOptions options;
  VariablesByOutput variables(graph);
  for (nb::handle item : saved) AddSaved(variables, item, &options);
  for (nb::handle item : objects) options.saveable_objects.push_back(ToSaveable(item));
  options.reshape = reshape;
  options.sharded = sharded;
  options.max_to_keep = max_to_keep;
  options.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours;
  options.name = name;
  options.write_version = static_cast<SaverNames::Format>(write_version);
  options.pad_step_number = pad_step_number;
  options.save_relative_paths = save_relative_paths;
  options.filename = filename;
  Saver saver(graph, options);
  const Status status = graph.TakeError();
  graph.NoteNewNodes();
  if (PyErr_Occurred()) throw PythonError();
  if (!status.ok()) RaiseBuildStatus(WithoutSourceLine(status));
  new (self) PySaver{nb::borrow(graph.self), std::move(saver)};
}

std::unique_ptr<PySaver> SaverFromProto(PyGraph& graph, nb::bytes saver_def, bool pad_step_number,
                                        bool save_relative_paths) {
  SaverOptions options;
  options.pad_step_number = pad_step_number;
  options.save_relative_paths = save_relative_paths;
  const std::string_view bytes(saver_def.c_str(), saver_def.size());
  StatusOr<Saver> saver = Saver::FromProto(graph, bytes, "", options);
  if (!saver.ok()) RaiseBuildStatus(saver.status());
  return std::unique_ptr<PySaver>(new PySaver{nb::borrow(graph.self), *std::move(saver)});
}

// Creates the meta graph first, with the GIL, because items of collections are serialized by
// Python.
std::string Save(PySaver& self, nb::handle session, const std::string& save_path,
                 std::optional<int64_t> step, const std::string& latest_filename,
                 const std::string& meta_graph_suffix, bool write_meta_graph, bool write_state,
                 bool strip_default_attrs) {
  SaveOptions options;
  if (step) options.global_step = GlobalStep(*step);
  options.latest_filename = latest_filename;
  options.meta_graph_suffix = meta_graph_suffix;
  options.write_meta_graph = write_meta_graph;
  options.write_state = write_state;
  if (write_meta_graph) {
    ExportMetaGraphOptions write;
    write.strip_default_attrs = strip_default_attrs;
    write.saver = self.saver.definition();
    options.meta_graph = Value(ExportMetaGraph(self.saver.graph(), write));
  }
  Session& target = SessionOf(session);
  auto saved = WithoutGil([&] { return self.saver.Save(target, save_path, options); });
  self.Raise(saved.status());
  return *std::move(saved);
}

void Restore(PySaver& self, nb::handle session, const std::string& save_path) {
  Session& target = SessionOf(session);
  const Status status = WithoutGil([&] {
    if (&target.graph() == &self.saver.graph()) return self.saver.Restore(target, save_path);
    return Saver::FromNames(target.graph(), self.saver.definition()).Restore(target, save_path);
  });
  self.Raise(status);
}

void BindSaver(nb::module_& m) {
  nb::class_<PySaver>(m, "Saver")
      .def("__init__", &MakeSaver, nb::arg(), nb::arg(), nb::arg(), nb::kw_only(),
           nb::arg("reshape"), nb::arg("sharded"), nb::arg("max_to_keep"),
           nb::arg("keep_checkpoint_every_n_hours"), nb::arg("name"), nb::arg("write_version"),
           nb::arg("pad_step_number"), nb::arg("save_relative_paths"), nb::arg("filename"))
      .def_static("from_proto", &SaverFromProto, nb::arg(), nb::arg(), nb::kw_only(),
                  nb::arg("pad_step_number"), nb::arg("save_relative_paths"))
      .def(
          "to_proto",
          [](PySaver& self, const std::string& export_scope) {
            auto bytes = self.saver.ToProto(export_scope);
            if (!bytes.ok()) RaiseBuildStatus(bytes.status());
            return Bytes(*bytes);
          },
          nb::arg("export_scope") = "")
      .def("save", &Save, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg())
      .def("restore", &Restore)
      .def("last_checkpoints", [](PySaver& self) { return self.saver.last_checkpoints(); })
      .def("set_last_checkpoints",
           [](PySaver& self, const std::vector<std::pair<std::string, double>>& paths_and_times) {
             self.saver.SetLastCheckpointsWithTime(paths_and_times);
           });
}

nb::list ShapeList(const Shape& shape) {
  nb::list dims;
  for (int64_t d : shape.dims()) dims.append(d);
  return dims;
}

void BindReader(nb::module_& m) {
  nb::class_<CheckpointReader>(m, "CheckpointReader")
      .def("__init__",
           [](CheckpointReader* self, const std::string& prefix) {
             auto reader = WithoutGil([&] { return CheckpointReader::Open(prefix); });
             new (self) CheckpointReader(Value(std::move(reader)));
           })
      .def("list",
           [](CheckpointReader& self) {
             nb::list all;
             for (const CheckpointTensor& t : Value(self.List())) {
               all.append(nb::make_tuple(t.name, Take(WrapDType(t.dtype)), ShapeList(t.shape)));
             }
             return all;
           })
      .def("has", [](CheckpointReader& self, const std::string& n) { return Value(self.Has(n)); })
      .def("read",
           [](CheckpointReader& self, const std::string& name) {
             auto tensor = WithoutGil([&] { return self.Read(name); });
             return Take(WrapTensor(Value(std::move(tensor))));
           })
      .def("debug_string", [](CheckpointReader& self) { return Bytes(Value(self.DebugString())); });
}

nb::object StateTuple(const CheckpointStateInfo& state) {
  nb::object preserved = nb::none();
  if (state.last_preserved_timestamp) preserved = nb::cast(*state.last_preserved_timestamp);
  return nb::make_tuple(state.model_checkpoint_path, state.all_model_checkpoint_paths,
                        state.all_model_checkpoint_timestamps, preserved);
}

void BindState(nb::module_& m) {
  m.def("get_checkpoint_state", [](const std::string& dir, const std::string& filename) {
    auto state = GetCheckpointState(dir, filename);
    if (!state.ok()) RaiseBuildStatus(state.status());
    return *state ? StateTuple(**state) : nb::none();
  });
  m.def("make_checkpoint_state", [](const std::string& save_dir, const std::string& latest,
                                    const std::vector<std::string>& paths) {
    CheckpointStateInfo state;
    state.model_checkpoint_path = latest;
    state.all_model_checkpoint_paths = paths;
    state = Value(MakeCheckpointState(save_dir, std::move(state)));
    return nb::make_tuple(state.model_checkpoint_path, state.all_model_checkpoint_paths);
  });
  m.def(
      "write_checkpoint_state",
      [](const std::string& save_dir, const std::string& latest,
         const std::vector<std::string>& paths, const std::vector<double>& times,
         std::optional<double> preserved, const std::string& filename) {
        CheckpointStateInfo state{latest, paths, times, preserved};
        Check(UpdateCheckpointState(save_dir, std::move(state), filename));
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

// Replaces the operation that initializes a variable and the value that it assigns.
void SetInitializer(PyGraph& graph, VariableId id, nb::handle initializer, nb::handle value) {
  const PyOperation* op = AsOperation(initializer.ptr());
  if (op == nullptr) RaiseTypeError("an initializer must be an Operation");
  if (id < 0 || id >= static_cast<VariableId>(graph.variables().size())) {
    RaiseValueError("the graph has no variable ", id);
  }
  const Output initial_value = OutputArg(value);
  EditVariable(Variable(&graph, id), [&](VariableRecord& record) {
    record.initializer = op->operation();
    record.initial_value = initial_value;
  });
}

}  // namespace

void BindCheckpoint(nb::module_& m) {
  BindSaver(m);
  BindReader(m);
  BindState(m);
  m.def("set_variable_initializer", &SetInitializer);
  m.def("checkpoint_exists", &CheckpointExists);
  m.def("get_checkpoint_mtimes", &GetCheckpointMtimes);
  m.def("remove_checkpoint", [](const std::string& prefix, const std::string& meta_graph_suffix,
                                int format) {
    Check(RemoveCheckpoint(prefix, meta_graph_suffix, static_cast<SaverNames::Format>(format)));
  });
}

}  // namespace ramet::python
