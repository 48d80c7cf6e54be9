#include "ramet/checkpoint/saver_nodes.h"

#include <map>
#include <utility>

#include "ramet/graph/device_name.h"

namespace ramet {
namespace {

constexpr char kCpu[] = "/device:CPU:0";

// Returns the first CPU of the machine that a device belongs to.
std::string FirstCpuOf(const std::string& device) {
  DeviceName name = DeviceName::Parse(device).value_or(DeviceName());
  name.type = "CPU";
  name.index = 0;
  return name.ToString();
}

std::string CanonicalDevice(const Operation& op) {
  auto parsed = DeviceName::Parse(op.device());
  return parsed.ok() ? parsed->ToString() : op.device();
}

std::string DeviceOf(const Saveable& s) {
  return CanonicalDevice(s.object ? s.object->specs[0].tensor.op()
                                  : s.variable.record().variable.op());
}

Status CheckDevices(const std::vector<Saveable>& saveables) {
  for (const Saveable& s : saveables) {
    for (size_t i = 1; s.object != nullptr && i < s.object->specs.size(); ++i) {
      if (CanonicalDevice(s.object->specs[i].tensor.op()) == DeviceOf(s)) continue;
      return InvalidArgument("All tensors of a saveable object must be on the same device: ",
                             s.name);
    }
  }
  return OkStatus();
}

size_t NumTensors(const Saveable& s) { return s.object ? s.object->specs.size() : 1; }

// The tensors on one device.
struct Shard {
  std::string device;
  std::vector<Saveable> saveables;
};

std::vector<Shard> GroupByDevice(const std::vector<Saveable>& saveables) {
  std::map<std::string, std::vector<Saveable>> groups;
  for (const Saveable& s : saveables) groups[DeviceOf(s)].push_back(s);
  std::vector<Shard> shards;
  for (auto& [device, group] : groups) shards.push_back({device, std::move(group)});
  return shards;
}

// Builds the nodes of a saver in the order in which TensorFlow adds them.
class SaverNodes {
 public:
  SaverNodes(Graph& graph, const SaverOptions& options, Scope& scope)
      : graph_(graph), options_(options), scope_(scope) {}

  SaverNames Build(const std::vector<Saveable>& saveables) {
    const AttrMap scalar = {{"shape", Shape()}};
    Output name =
        AddOp(graph_, "PlaceholderWithDefault", {Tensor(options_.filename)}, scalar, "filename")
            .output(0);
    prefix_ = AddOp(graph_, "PlaceholderWithDefault", {name}, scalar, "Const").output(0);
    Output saved;
    Operation restored;
    if (options_.sharded) {
      const std::vector<Shard> shards = GroupByDevice(saveables);
      saved = is_v1() ? SaveShardsV1(shards) : SaveShardsV2(shards);
      restored = RestoreShards(shards);
    } else {
      saved = Save(saveables, prefix_);
      restored = Restore(saveables, "restore_all");
    }
    SaverNames names;
    if (!saved.valid() || !restored.valid()) return names;
    names.filename_tensor_name = prefix_.name();
    names.save_tensor_name = saved.name();
    names.restore_op_name = restored.name();
    return names;
  }

 private:
  bool is_v1() const { return options_.write_version == SaverNames::Format::kV1; }

  static std::vector<Input> NamesAndSlices(const std::vector<Saveable>& saveables,
                                           const Output& prefix) {
    std::vector<std::string> names, slices;
    for (const Saveable& s : saveables) {
      if (s.object == nullptr) {
        names.push_back(s.name);
        slices.push_back(s.shape_and_slice);
        continue;
      }
      for (const SaveSpec& spec : s.object->specs) {
        names.push_back(spec.name);
        slices.push_back(spec.slice_spec);
      }
    }
    return {prefix, Tensor::Vector(names), Tensor::Vector(slices)};
  }

  void AddValuesToSave(const Saveable& s, std::vector<Input>* values) {
    if (s.object == nullptr) {
      values->push_back(CastTo(StoredType(s), ValueToSave(s)));
      return;
    }
    for (const SaveSpec& spec : s.object->specs) values->push_back(spec.tensor);
  }

  static DType StoredType(const Saveable& s) {
    return s.stored_as == DType::kInvalid ? s.variable.dtype() : s.stored_as;
  }

  Output CastTo(DType dtype, const Output& value) {
    if (!value.valid() || BaseType(value.dtype()) == dtype) return value;
    return AddOp(graph_, "Cast", {value}, {{"DstT", dtype}}).output(0);
  }

  // Returns the tensor to save: for a whole variable its reference or the read created with it, for
  // a part of a variable its value.
  Output ValueToSave(const Saveable& s) {
    const VariableRecord& record = s.variable.record();
    const bool whole = s.shape_and_slice.empty();
    if (!record.is_resource) return whole ? record.variable : record.snapshot;
    if (whole && record.snapshot.valid() && record.snapshot.op().type() == "ReadVariableOp") {
      return record.snapshot;
    }
    return ReadPart(s);
  }

  Output ReadPart(const Saveable& s) {
    Scope on_device = scope_.Device(DeviceOf(s));
    Output value;
    const Output handle = s.variable.ref();
    {
      Scope read = on_device.NameScope("Read");
      AddOp(graph_, "DisableCopyOnRead", {handle});
      const AttrMap dtype = {{"dtype", s.variable.dtype()}};
      value = AddOp(graph_, "ReadVariableOp", {handle}, dtype).output(0);
    }
    value = AddOp(graph_, "Identity", {value}).output(0);
    Scope on_cpu = on_device.Device(kCpu);
    return AddOp(graph_, "Identity", {value}).output(0);
  }

  Output Save(const std::vector<Saveable>& saveables, const Output& filename) {
    std::vector<Input> tensors;
    for (const Saveable& s : saveables) AddValuesToSave(s, &tensors);
    std::vector<Input> inputs = NamesAndSlices(saveables, filename);
    inputs.insert(inputs.end(), tensors.begin(), tensors.end());
    Operation save =
        is_v1() ? AddOp(graph_, "SaveSlices", inputs, {}, "save") : AddOp(graph_, "SaveV2", inputs);
    if (!save.valid()) return Output();
    Scope after = scope_.ControlDependencies({save});
    Scope colocated = after.ColocateWith(filename.op());
    return AddOp(graph_, "Identity", {filename}, {}, "control_dependency").output(0);
  }

  // Returns PREFIX_temp/part, or PREFIX.part for object stores.
  Output TemporaryPrefix() {
    Scope on_cpu = scope_.Device("/device:CPU:*");
    Output object_store =
        AddOp(graph_, "StaticRegexFullMatch", {prefix_}, {{"pattern", std::string("^s3://.*")}})
            .output(0);
    Output part = Constant(graph_, Tensor(".part"));
    Output folder = Constant(graph_, Tensor("_temp/part"));
    Output suffix = AddOp(graph_, "Select", {object_store, part, folder}).output(0);
    return AddOp(graph_, "StringJoin", {prefix_, suffix}).output(0);
  }

  Output ShardedFilename(const Output& basename, size_t shard, const Output& num_shards) {
    return AddOp(graph_, "ShardedFilename",
                 {basename, Tensor(static_cast<int32_t>(shard)), num_shards})
        .output(0);
  }

  Output NumShards(const std::vector<Shard>& shards) {
    return Constant(graph_, Tensor(static_cast<int32_t>(shards.size())), "num_shards");
  }

  Output SaveShardsV2(const std::vector<Shard>& shards) {
    const Output temporary = TemporaryPrefix();
    const Output num_shards = NumShards(shards);
    std::vector<Input> filenames;
    std::vector<Operation> saves;
    for (size_t i = 0; i < shards.size(); ++i) {
      Scope on_cpu = scope_.Device(FirstCpuOf(shards[i].device));
      const Output filename = ShardedFilename(temporary, i, num_shards);
      const Output saved = Save(shards[i].saveables, filename);
      if (!saved.valid()) return Output();
      filenames.push_back(filename);
      saves.push_back(saved.op());
    }
    Scope after_saves = scope_.ControlDependencies(saves);
    Scope on_cpu = after_saves.Device(FirstCpuOf(shards.back().device));
    const Operation merge = Merge(filenames);
    if (!merge.valid()) return Output();
    Scope after_merge = on_cpu.ControlDependencies({merge});
    return AddOp(graph_, "Identity", {prefix_}).output(0);
  }

  Operation Merge(const std::vector<Input>& filenames) {
    std::string name;
    Output prefixes;
    {
      Scope inside = scope_.NameScope("MergeV2Checkpoints");
      name = inside.name();
      prefixes = AddOp(graph_, "Pack", filenames, {}, "checkpoint_prefixes").output(0);
    }
    return AddOp(graph_, "MergeV2Checkpoints", {prefixes, prefix_}, {{"delete_old_dirs", true}},
                 name);
  }

  Output SaveShardsV1(const std::vector<Shard>& shards) {
    const Output num_shards = NumShards(shards);
    std::vector<Operation> saves;
    for (size_t i = 0; i < shards.size(); ++i) {
      Scope there = scope_.Device(shards[i].device);
      const Output saved = Save(shards[i].saveables, ShardedFilename(prefix_, i, num_shards));
      if (!saved.valid()) return Output();
      saves.push_back(saved.op());
    }
    Scope after = scope_.ControlDependencies(saves);
    return AddOp(graph_, "ShardedFilespec", {prefix_, num_shards}).output(0);
  }

  Operation RestoreShards(const std::vector<Shard>& shards) {
    std::vector<Operation> restores;
    for (const Shard& shard : shards) {
      Scope there = scope_.Device(shard.device);
      restores.push_back(Restore(shard.saveables, "restore_shard"));
    }
    return Group(graph_, restores, "restore_all");
  }

  Operation Restore(const std::vector<Saveable>& saveables, std::string_view name) {
    std::vector<DType> types;
    for (const Saveable& s : saveables) AddTypes(s, &types);
    Operation restore;
    {
      Scope on_cpu = scope_.Device(kCpu);
      restore = AddOp(graph_, "RestoreV2", NamesAndSlices(saveables, prefix_), {{"dtypes", types}});
    }
    if (!restore.valid()) return Operation();
    const std::vector<Output> tensors = restore.outputs();
    std::vector<Operation> assigns;
    auto next = tensors.begin();
    for (const Saveable& s : saveables) {
      const auto end = next + static_cast<ptrdiff_t>(NumTensors(s));
      assigns.push_back(s.object ? RestoreObject(*s.object, {next, end}) : Assign(s, *next));
      if (!assigns.back().valid()) return Operation();
      next = end;
    }
    return Group(graph_, assigns, name);
  }

  static void AddTypes(const Saveable& s, std::vector<DType>* types) {
    if (s.object == nullptr) {
      types->push_back(StoredType(s));
      return;
    }
    for (const SaveSpec& spec : s.object->specs) types->push_back(BaseType(spec.tensor.dtype()));
  }

  Operation RestoreObject(const SaveableObject& object, const std::vector<Output>& tensors) {
    std::vector<Input> shapes;
    if (options_.reshape) {
      for (const SaveSpec& spec : object.specs) shapes.push_back(ShapeInput(spec.tensor));
    }
    const Operation restored = object.restore(tensors, shapes);
    if (!restored.valid() || restored.graph() != &graph_) {
      graph_.RecordError(
          InvalidArgument("saveable object '", object.name,
                          "': its restore function did not return an operation of this graph"));
      return Operation();
    }
    return restored;
  }

  Operation Assign(const Saveable& s, Output value) {
    const Shape shape = s.variable.shape();
    if (options_.reshape) {
      value = AddOp(graph_, "Reshape", {value, ShapeInput(s.variable)}).output(0);
    }
    value = CastTo(s.variable.dtype(), value);
    if (!s.variable.record().is_resource) {
      const bool validate = !options_.reshape && shape.IsFullyDefined();
      return AddOp(graph_, "Assign", {s.variable.ref(), value}, {{"validate_shape", validate}});
    }
    Scope there = scope_.Device(DeviceOf(s));
    value = AddOp(graph_, "Identity", {value}).output(0);
    return AddOp(graph_, "AssignVariableOp", {s.variable.ref(), value});
  }

  Input ShapeInput(const Variable& variable) {
    return ShapeInput(variable.shape(), [&] { return variable.value(); });
  }
  Input ShapeInput(const Output& tensor) {
    return ShapeInput(tensor.shape(), [&] { return tensor; });
  }
  template <class Value>
  Input ShapeInput(const Shape& shape, Value&& value) {
    if (!shape.IsFullyDefined()) return AddOp(graph_, "Shape", {value()}).output(0);
    std::vector<int32_t> dims;
    for (int64_t d : shape.dims()) dims.push_back(static_cast<int32_t>(d));
    return Tensor::Vector(dims);
  }

  Graph& graph_;
  const SaverOptions& options_;
  Scope& scope_;
  Output prefix_;
};

}  // namespace

SaverNames BuildSaverNodes(Graph& graph, const std::vector<Saveable>& saveables,
                           const SaverOptions& options) {
  if (options.sharded) {
    Status checked = CheckDevices(saveables);
    if (!checked.ok()) {
      graph.RecordError(std::move(checked));
      return SaverNames();
    }
  }
  Scope outer(graph);
  Scope no_controls = outer.ClearControlDependencies();
  Scope scope = no_controls.NameScope(options.name);
  SaverNames names = SaverNodes(graph, options, scope).Build(saveables);
  names.version = options.write_version;
  names.sharded = options.sharded;
  names.max_to_keep = options.max_to_keep;
  names.keep_checkpoint_every_n_hours = static_cast<float>(options.keep_checkpoint_every_n_hours);
  return names;
}

}  // namespace ramet
