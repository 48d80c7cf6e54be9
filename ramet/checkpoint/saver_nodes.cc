#include "ramet/checkpoint/saver_nodes.h"

#include <algorithm>
#include <set>

namespace ramet {
namespace {

// One tensor of the checkpoint: its key, its part of a partitioned variable, and the variable.
struct Saveable {
  std::string name;
  std::string shape_and_slice;
  int64_t offset = 0;
  Variable variable;
};

std::string SliceSpec(const SaveSliceInfo& info) {
  std::string extents;
  for (size_t i = 0; i < info.var_offset.size(); ++i) {
    extents += StrCat(i ? ":" : "", info.var_offset[i], ",", info.var_shape[i]);
  }
  return StrCat(StrJoin(info.full_shape, " "), " ", extents);
}

Saveable MakeSaveable(const std::string& name, const Variable& v) {
  const auto& slice = v.record().save_slice_info;
  if (!slice) return {name, "", 0, v};
  int64_t offset = 0;
  for (int64_t o : slice->var_offset) offset += o;
  return {name.empty() ? slice->full_name : name, SliceSpec(*slice), offset, v};
}

std::vector<Saveable> Collect(Graph& graph, const SaverOptions& options) {
  std::vector<Saveable> saveables;
  for (const auto& [name, v] : options.var_map) saveables.push_back(MakeSaveable(name, v));
  if (!saveables.empty()) return saveables;
  std::vector<Variable> variables = options.var_list;
  if (variables.empty()) {
    variables = graph.collections().Get<Variable>(graph_keys::kGlobalVariables);
  }
  for (const Variable& v : variables) {
    const auto& slice = v.record().save_slice_info;
    saveables.push_back(MakeSaveable(slice ? slice->full_name : v.op_name(), v));
  }
  return saveables;
}

Status CheckSaveables(const std::vector<Saveable>& saveables) {
  if (saveables.empty()) return InvalidArgument("No variables to save");
  std::set<VariableId> seen;
  for (size_t i = 0; i < saveables.size(); ++i) {
    const Saveable& s = saveables[i];
    if (!seen.insert(s.variable.id()).second) {
      return InvalidArgument("The same saveable will be restored with two names: ", s.name);
    }
    const bool twice = i > 0 && saveables[i - 1].name == s.name &&
                       (s.shape_and_slice.empty() || saveables[i - 1].shape_and_slice.empty());
    if (twice) return InvalidArgument("At least two variables have the same name: ", s.name);
  }
  return OkStatus();
}

// The nodes of one saver, in the order in which TensorFlow makes them.
class SaverNodes {
 public:
  SaverNodes(Graph& graph, std::vector<Saveable> saveables, Scope& scope)
      : graph_(graph), saveables_(std::move(saveables)), scope_(scope) {}

  SaverNames Build() {
    Output name =
        AddOp(graph_, "PlaceholderWithDefault", {Tensor("model")}, {{"shape", Shape()}}, "filename")
            .output(0);
    prefix_ =
        AddOp(graph_, "PlaceholderWithDefault", {name}, {{"shape", Shape()}}, "Const").output(0);
    Output saved = Save();
    Operation restored = Restore();
    SaverNames definition;
    definition.filename_tensor_name = prefix_.name();
    definition.save_tensor_name = saved.name();
    definition.restore_op_name = restored.name();
    return definition;
  }

 private:
  std::vector<Input> NamesAndSlices() const {
    std::vector<std::string> names, slices;
    for (const Saveable& s : saveables_) {
      names.push_back(s.name);
      slices.push_back(s.shape_and_slice);
    }
    return {prefix_, Tensor::Vector(names), Tensor::Vector(slices)};
  }

  Output Save() {
    std::vector<Input> inputs = NamesAndSlices();
    for (const Saveable& s : saveables_) inputs.push_back(s.variable.ref());
    Operation save = AddOp(graph_, "SaveV2", inputs);
    if (!save.valid()) return Output();
    Scope after = scope_.ControlDependencies({save});
    Scope beside = after.ColocateWith(prefix_.op());
    return AddOp(graph_, "Identity", {prefix_}, {}, "control_dependency").output(0);
  }

  Operation Restore() {
    std::vector<DType> types;
    for (const Saveable& s : saveables_) types.push_back(s.variable.dtype());
    Operation restore;
    {
      Scope on_cpu = scope_.Device("/device:CPU:0");
      restore = AddOp(graph_, "RestoreV2", NamesAndSlices(), {{"dtypes", types}});
    }
    if (!restore.valid()) return Operation();
    std::vector<Operation> assigns;
    for (size_t i = 0; i < saveables_.size(); ++i) {
      assigns.push_back(AddOp(graph_, "Assign",
                              {saveables_[i].variable.ref(), restore.output(static_cast<int>(i))}));
    }
    return Group(graph_, assigns, "restore_all");
  }

  Graph& graph_;
  std::vector<Saveable> saveables_;
  Scope& scope_;
  Output prefix_;
};

}  // namespace

SaverNames BuildSaverNodes(Graph& graph, const SaverOptions& options) {
  std::vector<Saveable> saveables = Collect(graph, options);
  std::ranges::stable_sort(saveables, [](const Saveable& a, const Saveable& b) {
    return std::tie(a.name, a.offset) < std::tie(b.name, b.offset);
  });
  if (Status status = CheckSaveables(saveables); !status.ok()) {
    graph.RecordError(status.WithContext("Saver"));
    return {};
  }
  Scope outer(graph);
  Scope no_controls = outer.ClearControlDependencies();
  Scope scope = no_controls.NameScope(options.name);
  SaverNames definition = SaverNodes(graph, std::move(saveables), scope).Build();
  definition.version = SaverNames::Format::kV2;
  definition.max_to_keep = options.max_to_keep;
  definition.keep_checkpoint_every_n_hours =
      static_cast<float>(options.keep_checkpoint_every_n_hours);
  return definition;
}

}  // namespace ramet
