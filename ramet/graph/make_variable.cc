#include "ramet/graph/make_variable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ramet/graph/graph_impl.h"
#include "ramet/graph/initialized_value.h"
#include "ramet/graph/names.h"
#include "ramet/graph/scope.h"
#include "ramet/op/colocation.h"

namespace ramet {
namespace {

// Makes one variable under the name scopes "<v>/" and "<v>/Initializer/".
class VariableMaker {
 public:
  VariableMaker(Graph& graph, const std::string& full_name, const VariableOptions& options)
      : graph_(graph),
        outer_(graph),
        scope_(outer_.ClearControlDependencies()),
        name_(full_name),
        options_(options) {}

  Variable FromInitializer(const Initializer& initializer, const Shape& shape, DType dtype) {
    Scope inside = scope_.NameScope(StrCat(name_, "/"));
    VariableRecord record;
    BuildState& state = graph_.build_state();
    state.variable_group = StrCat(kColocationPrefix, name_);
    record.initial_value = RunInitializer(inside, initializer, shape, dtype);
    if (record.initial_value.valid()) MakeNodes(&record, shape, dtype);
    state.variable_group.clear();
    return Register(record);
  }

  Variable FromTensor(const Output& initial_value) {
    Scope inside = scope_.NameScope(StrCat(name_, "/"));
    VariableRecord record;
    record.initial_value = initial_value;
    const DType dtype = BaseType(initial_value.dtype());
    std::string& group = graph_.build_state().variable_group;
    const std::string outer_group = use_resource() ? std::exchange(group, ResourceGroup()) : group;
    MakeNodes(&record, DeclaredShape(initial_value.shape()), dtype);
    group = outer_group;
    return Register(record);
  }

  Variable FromValue(const Input& value) {
    Scope inside = scope_.NameScope(StrCat(name_, "/"));
    VariableRecord record;
    record.initial_value = InitialValue(value);
    if (!record.initial_value.valid()) return Variable();
    Shape shape = record.initial_value.shape();
    if (!shape.IsFullyDefined()) {
      graph_.RecordError(InvalidArgument("variable '", name_,
                                         "': initial_value must have a shape specified: ",
                                         record.initial_value.name(), " has shape ", shape));
      return Variable();
    }
    graph_.build_state().variable_group = ResourceGroup();
    MakeNodes(&record, shape, BaseType(record.initial_value.dtype()));
    graph_.build_state().variable_group.clear();
    return Register(record);
  }

 private:
  bool use_resource() const {
    return options_.use_resource.value_or(graph_.build_state().variable_scope.use_resource);
  }

  // The colocation group of the nodes that tf.Variable makes; only resource variables have one.
  std::string ResourceGroup() const {
    return use_resource() ? StrCat(kColocationPrefix, name_) : "";
  }

  Shape DeclaredShape(const Shape& of_value) const {
    if (!options_.validate_shape) return Shape::Unknown();
    return options_.shape.value_or(of_value);
  }

  // Returns "<v>/part", made unique.
  std::string Part(std::string_view part) {
    return UniqueFullName(graph_.build_state(), StrCat(name_, "/", part), true);
  }

  Output InitialValue(const Input& value) {
    if (!value.is_constant()) {
      return value.resource_variable().valid() ? ReadVariable(value.resource_variable())
                                               : value.output();
    }
    if (!use_resource()) return Constant(graph_, StrongConstant(value), "initial_value");
    Scope here(graph_);
    Scope named = here.NameScope("Initializer");
    graph_.build_state().variable_group = ResourceGroup();
    const Output made = Constant(graph_, StrongConstant(value), "initial_value");
    graph_.build_state().variable_group.clear();
    return made;
  }

  Output RunInitializer(Scope& inside, const Initializer& initializer, const Shape& shape,
                        DType dtype) {
    Scope named = inside.NameScope("Initializer");
    Scope anywhere = named.ClearDevice();
    return initializer(graph_, shape, dtype);
  }

  static Tensor StrongConstant(const Input& value) {
    const Tensor& t = value.constant();
    if (!value.weak() || t.dtype() != kDouble) return t;
    return Tensor(static_cast<float>(t.scalar<double>()));
  }

  void MakeNodes(VariableRecord* record, const Shape& shape, DType dtype) {
    record->is_resource = use_resource();
    if (record->is_resource) {
      MakeResourceNodes(record, shape, dtype);
    } else {
      MakeReferenceNodes(record, shape, dtype);
    }
  }

  void MakeResourceNodes(VariableRecord* record, const Shape& shape, DType dtype) {
    Operation handle = AddOp(graph_, "VarHandleOp", {},
                             {{"shape", shape},
                              {"dtype", dtype},
                              {"shared_name", name_},
                              {"debug_name", StrCat(name_, "/")},
                              {"container", options_.container}},
                             StrCat(name_, "/"));
    if (!handle.valid()) return;
    graph_.build_state().variable_group.clear();
    record->variable = handle.output(0);
    Scope there = scope_.Device(handle.device());
    AddOp(graph_, "VarIsInitializedOp", {record->variable}, {},
          StrCat(Part("IsInitialized"), "/VarIsInitializedOp/"));
    record->initializer = AssignInitialValue(*record, dtype);
    const std::string read = Part("Read");
    record->snapshot = AddOp(graph_, "ReadVariableOp", {record->variable}, {{"dtype", dtype}},
                             StrCat(read, "/ReadVariableOp/"))
                           .output(0);
    if (options_.caching_device) {
      Scope cache = scope_.Device(*options_.caching_device);
      record->snapshot =
          AddOp(graph_, "Identity", {record->snapshot}, {}, StrCat(read, "/Identity/")).output(0);
    }
  }

  Operation AssignInitialValue(const VariableRecord& record, DType dtype) {
    BuildState& state = graph_.build_state();
    const std::string assign = Part("Assign");
    Scope inside = scope_.NameScope(StrCat(assign, "/"));
    auto colocations = std::exchange(state.colocations, {});
    const Output value = GuardedInitialValue(graph_, record.initial_value, name_);
    Operation op = AddOp(graph_, "AssignVariableOp", {record.variable, value}, {{"dtype", dtype}},
                         StrCat(assign, "/"));
    state.colocations = std::move(colocations);
    return op;
  }

  void MakeReferenceNodes(VariableRecord* record, const Shape& shape, DType dtype) {
    Operation ref = AddOp(graph_, "VariableV2", {},
                          {{"shape", shape}, {"dtype", dtype}, {"container", options_.container}},
                          StrCat(name_, "/"));
    if (!ref.valid()) return;
    graph_.build_state().variable_group.clear();
    record->variable = ref.output(0);
    const Output value = GuardedInitialValue(graph_, record->initial_value, name_);
    record->initializer =
        AddOp(graph_, "Assign", {record->variable, value},
              {{"validate_shape", options_.validate_shape}}, StrCat(Part("Assign"), "/"));
    if (options_.caching_device) {
      Scope cache = scope_.Device(*options_.caching_device);
      record->snapshot = ReadReference(*record);
    } else {
      Scope colocated = scope_.ColocateWith(ref);
      record->snapshot = ReadReference(*record);
    }
  }

  Output ReadReference(const VariableRecord& record) {
    return AddOp(graph_, "Identity", {record.variable}, {}, StrCat(Part("read"), "/")).output(0);
  }

  Variable Register(VariableRecord& record) {
    if (!record.variable.valid() || !record.initializer.valid() || !record.snapshot.valid()) {
      return Variable();
    }
    record.trainable = options_.trainable;
    record.synchronization = options_.synchronization;
    record.aggregation = options_.aggregation;
    record.save_slice_info = options_.save_slice_info;
    Variable v(&graph_, graph_.AddVariable(record));
    std::vector<std::string> keys =
        options_.collections.value_or(std::vector<std::string>{graph_keys::kGlobalVariables});
    if (options_.trainable) keys.push_back(graph_keys::kTrainableVariables);
    for (auto key = keys.begin(); key != keys.end(); ++key) {
      if (std::find(keys.begin(), key, *key) == key) graph_.collections().Add(*key, v);
    }
    return v;
  }

  Graph& graph_;
  Scope outer_;
  Scope scope_;
  std::string name_;
  const VariableOptions& options_;
};

Initializer& DefaultFloatInitializer() {
  static Initializer* const initializer = new Initializer;
  return *initializer;
}

// glorot_uniform_initializer for floating dtypes, otherwise zeros, like tf.get_variable without an
// initializer.
Output DefaultInitializer(Graph& graph, const Shape& shape, DType dtype) {
  if (IsFloating(dtype) && DefaultFloatInitializer()) {
    return DefaultFloatInitializer()(graph, shape, dtype);
  }
  Tensor zeros(dtype, shape);
  if (dtype != kString && zeros.bytes() > 0) std::memset(zeros.raw_data(), 0, zeros.bytes());
  return Constant(graph, zeros, "zeros");
}

}  // namespace

Variable MakeVariable(Graph& graph, const std::string& full_name, const Output& initial_value,
                      const VariableOptions& options) {
  return VariableMaker(graph, full_name, options).FromTensor(initial_value);
}

Variable MakeVariableFrom(Graph& graph, const std::string& full_name, const Input& initial_value,
                          const VariableOptions& options) {
  return VariableMaker(graph, full_name, options).FromValue(initial_value);
}

Variable InitializeVariable(Graph& graph, const std::string& full_name,
                            const Initializer& initializer, const Shape& shape, DType dtype,
                            const VariableOptions& options) {
  const Initializer chosen = initializer ? initializer : Initializer(DefaultInitializer);
  return VariableMaker(graph, full_name, options).FromInitializer(chosen, shape, dtype);
}

void EditVariable(const Variable& variable, const std::function<void(VariableRecord&)>& edit) {
  GraphImpl& impl = variable.graph()->impl();
  WriterLock lock(impl.mutex);
  edit(impl.variables[variable.id()]);
}

void SetDefaultFloatInitializer(Initializer initializer) {
  DefaultFloatInitializer() = std::move(initializer);
}

}  // namespace ramet
