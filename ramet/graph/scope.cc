#include "ramet/graph/scope.h"

#include "ramet/graph/device_name.h"
#include "ramet/graph/make_variable.h"
#include "ramet/graph/names.h"
#include "ramet/graph/source_line.h"

namespace ramet {
namespace {

void OpenNameScope(Graph& graph, std::string_view name) {
  BuildState& state = graph.build_state();
  if (name.empty()) {
    state.name_stack.clear();
  } else if (name.ends_with('/')) {
    state.name_stack = std::string(name.substr(0, name.size() - 1));
  } else if (!IsValidScopeName(name, !state.name_stack.empty())) {
    graph.RecordError(InvalidArgument("'", name,
                                      "' is not a valid scope name: letters, digits and "
                                      "._-/> are allowed, and the first character must be a "
                                      "letter, digit or dot"));
  } else {
    state.name_stack = graph.UniqueName(name);
  }
}

// variable_scope(name): appends the name literally to the variables' prefix, and makes it unique
// for the ops' scope.
void OpenVariableScope(Graph& graph, std::string_view name, const VariableScopeOptions& options) {
  BuildState& state = graph.build_state();
  VariableScopeState& scope = state.variable_scope;
  scope.name = JoinScope(scope.name, name);
  if (scope.reuse != Reuse::kYes && options.reuse != Reuse::kInherit) scope.reuse = options.reuse;
  if (options.initializer) scope.initializer = options.initializer;
  if (options.dtype) scope.dtype = options.dtype;
  if (options.use_resource) scope.use_resource = *options.use_resource;
  OpenNameScope(graph, name);
  scope.original_name_scope = StrCat(state.name_stack, "/");
}

Status ReuseError(const std::string& name, bool exists) {
  if (exists) {
    return InvalidArgument("Variable ", name,
                           " already exists, disallowed. Did you mean to set "
                           "reuse=True or reuse=tf.AUTO_REUSE in VarScope?");
  }
  return InvalidArgument("Variable ", name,
                         " does not exist, or was not created with "
                         "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?");
}

Status CheckShared(const Variable& v, const std::string& name, const Shape& shape, DType dtype) {
  if (!v.shape().IsCompatibleWith(shape)) {
    return InvalidArgument("Trying to share variable ", name, ", but specified shape ", shape,
                           " and found shape ", v.shape(), ".");
  }
  if (v.dtype() != dtype) {
    return InvalidArgument("Trying to share variable ", name, ", but specified dtype ",
                           DTypeName(dtype), " and found dtype ", DTypeName(v.dtype()), ".");
  }
  return OkStatus();
}

}  // namespace

Scope::Scope(Graph& graph, Restore) : graph_(&graph) {
  const BuildState& state = graph.build_state();
  saved_name_ = state.name_stack;
  saved_devices_ = state.devices.size();
  saved_controls_ = state.controls.size();
  saved_colocations_ = state.colocations.size();
  saved_variable_scope_ = state.variable_scope;
}

Scope::Scope(Graph& graph, std::string_view name, const VariableScopeOptions& options)
    : Scope(graph, Restore{}) {
  OpenVariableScope(graph, name, options);
}

Scope::~Scope() {
  BuildState& state = graph_->build_state();
  state.name_stack = std::move(saved_name_);
  state.devices.resize(saved_devices_);
  while (state.controls.size() > saved_controls_) state.PopControls();
  if (state.colocations.size() > saved_colocations_) state.colocations.resize(saved_colocations_);
  state.variable_scope = std::move(saved_variable_scope_);
}

Scope Scope::NameScope(std::string_view name) { return Scope(*graph_, OpenName{}, name); }

Scope::Scope(Graph& graph, OpenName, std::string_view name) : Scope(graph, Restore{}) {
  OpenNameScope(graph, name);
}

Scope Scope::VariableScope(std::string_view name, const VariableScopeOptions& options) {
  return Scope(*graph_, name, options);
}

Scope::Scope(Graph& graph, OpenDevice, std::optional<std::string> device)
    : Scope(graph, Restore{}) {
  if (device) {
    if (auto parsed = DeviceName::Parse(*device); !parsed.ok()) graph.RecordError(parsed.status());
  }
  graph.build_state().devices.push_back(std::move(device));
}

Scope Scope::Device(std::string_view device) {
  return Scope(*graph_, OpenDevice{}, std::string(device));
}

Scope Scope::ClearDevice() { return Scope(*graph_, OpenDevice{}, std::nullopt); }

Scope::Scope(Graph& graph, ControlScope controls) : Scope(graph, Restore{}) {
  graph.build_state().PushControls(std::move(controls));
}

Scope Scope::ControlDependencies(std::vector<Operation> controls) {
  return Scope(*graph_, ControlScope{.controllers = std::move(controls)});
}

Scope Scope::ClearControlDependencies() { return Scope(*graph_, ControlScope{.clears = true}); }

Scope::Scope(Graph& graph, Operation colocate_with) : Scope(graph, Restore{}) {
  graph.build_state().colocations.push_back(colocate_with);
}

Scope Scope::ColocateWith(Operation op) { return Scope(*graph_, op); }

std::string Scope::name() const {
  const std::string& stack = graph_->build_state().name_stack;
  return stack.empty() ? "" : StrCat(stack, "/");
}

Output Scope::Placeholder(std::string_view name, DType dtype, const Shape& shape,
                          SourceLocation where) {
  return AddOp(*graph_, "Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}, name, where)
      .output(0);
}

Variable Scope::GetVariable(std::string_view name, const Shape& shape, Initializer initializer,
                            SourceLocation where) {
  VariableOptions options;
  options.initializer = std::move(initializer);
  return GetVariable(name, shape, options, where);
}

Variable Scope::GetVariable(std::string_view name, const Shape& shape,
                            const VariableOptions& options, SourceLocation where) {
  BuildState& state = graph_->build_state();
  const VariableScopeState& scope = state.variable_scope;
  const std::string full = JoinScope(scope.name, name);
  const DType dtype = options.dtype.value_or(scope.dtype.value_or(kFloat));
  auto fail = [&](const Status& status) {
    graph_->RecordError(status.WithContext(SourceLine(where)));
    return Variable();
  };
  auto found = state.variable_store.find(full);
  const bool exists = found != state.variable_store.end();
  if (exists && scope.reuse == Reuse::kNo) return fail(ReuseError(full, true));
  if (!exists && scope.reuse == Reuse::kYes) return fail(ReuseError(full, false));
  if (exists) {
    Variable v(graph_, found->second);
    Status same = CheckShared(v, full, shape, dtype);
    return same.ok() ? v : fail(same);
  }
  if (!shape.IsFullyDefined()) {
    return fail(InvalidArgument("Shape of a new variable (", full,
                                ") must be fully defined, but instead was ", shape, "."));
  }
  const Initializer& initializer = options.initializer ? options.initializer : scope.initializer;
  std::string unique = UniqueFullName(state, full, true);
  Variable v = InitializeVariable(*graph_, unique, initializer, shape, dtype, options);
  if (v.valid()) state.variable_store[full] = v.id();
  return v;
}

Variable Scope::NewVariable(const Input& initial_value, std::string_view name,
                            const VariableOptions& options, SourceLocation where) {
  if (!initial_value.is_constant() && !initial_value.output().valid()) {
    graph_->RecordError(InvalidArgument(SourceLine(where), ": the initial value of variable '",
                                        name, "' is invalid because an earlier build step failed"));
    return Variable();
  }
  return MakeVariableFrom(*graph_, graph_->UniqueName(name), initial_value, options);
}

std::vector<Variable> Scope::GlobalVariables() const {
  return graph_->collections().Get<Variable>(graph_keys::kGlobalVariables);
}

std::vector<Variable> Scope::TrainableVariables() const {
  std::vector<Variable> under;
  const std::string& prefix = graph_->build_state().variable_scope.name;
  for (const Variable& v : graph_->collections().Get<Variable>(graph_keys::kTrainableVariables)) {
    if (prefix.empty() || v.name().starts_with(prefix + "/")) under.push_back(v);
  }
  return under;
}

Operation Scope::GlobalVariablesInitializer() {
  return VariablesInitializer(GlobalVariables(), "init");
}

Operation Scope::VariablesInitializer(const std::vector<Variable>& variables,
                                      std::string_view name) {
  std::vector<Operation> initializers;
  for (const Variable& v : variables) initializers.push_back(v.initializer());
  return Group(*graph_, initializers, name);
}

Output Scope::ReportUninitializedVariables() {
  Scope scope = NameScope("report_uninitialized_variables");
  std::vector<std::string> names;
  std::vector<Input> flags;
  for (const Variable& v : GlobalVariables()) {
    Scope colocated = scope.ColocateWith(v.ref().op());
    names.push_back(v.op_name());
    const bool resource = v.record().is_resource;
    const char* op = resource ? "VarIsInitializedOp" : "IsVariableInitialized";
    flags.push_back(AddOp(*graph_, op, {v.ref()}).output(0));
  }
  Output all = Constant(*graph_, Tensor::Vector(names), "Const");
  if (names.empty()) return all;
  Output initialized = AddOp(*graph_, "Pack", flags, {}, "stack").output(0);
  Output missing = AddOp(*graph_, "LogicalNot", {initialized}).output(0);
  Output where = AddOp(*graph_, "Where", {missing}).output(0);
  Output rows = AddOp(*graph_, "Reshape", {where, Tensor::Vector<int32_t>({-1})}).output(0);
  return AddOp(*graph_, "GatherV2", {all, rows, Tensor(int32_t{0})}).output(0);
}

}  // namespace ramet
