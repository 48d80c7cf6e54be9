#include "ramet/edit/clone_state.h"

#include "ramet/edit/convert_floating.h"
#include "ramet/graph/names.h"
#include "ramet/graph/variable_scope.h"

namespace ramet {
namespace {

// Returns the slice of a variable as "rows,columns 0,2:0,3"; "" for a whole variable.
std::string SliceSpec(const VariableRecord& record) {
  if (!record.save_slice_info) return "";
  const SaveSliceInfo& slice = *record.save_slice_info;
  std::vector<std::string> extents;
  for (size_t d = 0; d < slice.var_offset.size(); ++d) {
    extents.push_back(StrCat(slice.var_offset[d], ",", slice.var_shape[d]));
  }
  return StrCat(StrJoin(slice.full_shape, " "), " ", StrJoin(extents, ":"));
}

Tensor Strings(const std::vector<std::string>& texts) {
  Tensor t(kString, Shape{static_cast<int64_t>(texts.size())});
  for (size_t i = 0; i < texts.size(); ++i) t.mutable_data<std::string>()[i] = texts[i];
  return t;
}

}  // namespace

std::string CloneStateOps::NewName(std::string_view name) const {
  const std::string full = JoinScope(mapping_.scope, name);
  const auto& used = graph_.build_state().names_in_use;
  std::string candidate = full;
  auto taken = [&] {
    return graph_.HasOperation(candidate) || used.contains(LowerCase(candidate));
  };
  for (int i = 1; taken(); ++i) candidate = StrCat(full, "_", i);
  return candidate;
}

StatusOr<Operation> CloneStateOps::Add(std::string_view op, std::string_view name,
                                       std::vector<Output> inputs, AttrMap attrs) {
  NodeSpec spec;
  spec.op = op;
  spec.name = NewName(name);
  spec.inputs = std::move(inputs);
  spec.control_inputs = controls_;
  spec.attrs = std::move(attrs);
  return graph_.AddNode(std::move(spec));
}

StatusOr<Operation> CloneStateOps::AddBeside(const Operation& state, std::string_view op,
                                             std::string_view name, std::vector<Output> inputs,
                                             AttrMap attrs) {
  attrs.Set("_class", std::vector<std::string>{StrCat("loc:@", state.name())});
  RAMET_ASSIGN_OR_RETURN(Operation made, Add(op, name, std::move(inputs), std::move(attrs)));
  const std::string device = state.device();
  if (!device.empty()) RAMET_RETURN_IF_ERROR(graph_.SetDevice(made, device));
  return made;
}

StatusOr<Operation> CloneStateOps::OnlyIf(const Operation& state, const Output& condition,
                                          const std::string& name,
                                          const std::function<StatusOr<Operation>()>& make) {
  RAMET_ASSIGN_OR_RETURN(Operation branch, AddBeside(state, "Switch", StrCat(name, "/switch"),
                                                     {condition, condition}));
  RAMET_ASSIGN_OR_RETURN(Operation pivot,
                         AddBeside(state, "Identity", StrCat(name, "/pivot"), {branch.output(1)}));
  controls_ = {pivot};
  StatusOr<Operation> made = make();
  controls_.clear();
  RAMET_RETURN_IF_ERROR(made.status());
  controls_ = {*made};
  StatusOr<Operation> done = AddBeside(state, "Identity", StrCat(name, "/done"), {pivot.output(0)});
  controls_.clear();
  RAMET_RETURN_IF_ERROR(done.status());
  return AddBeside(state, "Merge", StrCat(name, "/merge"), {branch.output(0), done->output(0)});
}

StatusOr<Operation> CloneStateOps::Group(std::string_view name, std::vector<Operation> ops) {
  NodeSpec spec;
  spec.op = "NoOp";
  spec.name = NewName(name);
  spec.control_inputs = std::move(ops);
  return graph_.AddNode(std::move(spec));
}

StatusOr<Output> CloneStateOps::Read(const Variable& beside, const Output& variable, DType dtype,
                                     std::string_view name) {
  if (!beside.record().is_resource) return variable;
  RAMET_ASSIGN_OR_RETURN(Operation read,
                         AddBeside(beside, "ReadVariableOp", name, {variable}, {{"dtype", dtype}}));
  return read.output(0);
}

StatusOr<Operation> CloneStateOps::Assign(const Variable& to, const Output& value,
                                          std::string_view name) {
  if (to.record().is_resource) {
    return AddBeside(to, "AssignVariableOp", name, {to.ref(), value}, {{"dtype", to.dtype()}});
  }
  const bool validate = to.ref().shape().IsFullyDefined();
  return AddBeside(to, "Assign", name, {to.ref(), value}, {{"validate_shape", validate}});
}

DType CloneStateOps::OriginalDtype(const ClonedVariable& v) const {
  const DType t = BaseType(v.original.dtype());
  return t == DType::kResource ? v.original.op().attrs()->GetOr<DType>("dtype", kFloat) : t;
}

StatusOr<Output> CloneStateOps::Converted(const Variable& beside, const Output& value, DType dtype,
                                          std::string_view name) {
  if (BaseType(value.dtype()) == dtype) return value;
  RAMET_ASSIGN_OR_RETURN(Operation cast,
                         AddBeside(beside, "Cast", name, {value}, {{"DstT", dtype}}));
  return cast.output(0);
}

// Returns the original's value in its dtype.
StatusOr<Output> CloneStateOps::Current(const ClonedVariable& v, std::string_view name) {
  return Read(v.copy, v.original, OriginalDtype(v), StrCat(name, "/read"));
}

Status CloneStateOps::CompleteReads() {
  for (const ClonedVariable& v : mapping_.variables) {
    if (!v.copy.record().is_resource || v.copy.record().snapshot != v.copy.ref()) continue;
    RAMET_ASSIGN_OR_RETURN(auto dtype, v.copy.ref().op().attr<DType>("dtype"));
    RAMET_ASSIGN_OR_RETURN(
        Output read, Read(v.copy, v.copy.ref(), dtype, StrCat("read/", v.original.op().name())));
    EditVariable(v.copy, [&](VariableRecord& record) { record.snapshot = read; });
  }
  return OkStatus();
}

Status CloneStateOps::MakeInit(const CloneOptions& options, const StateValues& values) {
  RAMET_RETURN_IF_ERROR(CompleteReads());
  std::vector<Operation> ops;
  if (options.initial.is(CloneInitialKind::kInitializer)) {
    for (const ClonedVariable& v : mapping_.variables) ops.push_back(v.copy.initializer());
  } else if (const std::string* prefix = options.initial.checkpoint()) {
    RAMET_ASSIGN_OR_RETURN(ops, RestoreAll(*prefix));
  } else {
    RAMET_ASSIGN_OR_RETURN(ops, AssignAll(values));
  }
  for (size_t i = 0; i < mapping_.variables.size(); ++i) {
    const Variable& v = mapping_.variables[i].copy;
    if (v.initializer().valid() || !ops[i].valid()) continue;
    EditVariable(v, [&](VariableRecord& record) { record.initializer = ops[i]; });
  }
  std::erase_if(ops, [](const Operation& op) { return !op.valid(); });
  RAMET_RETURN_IF_ERROR(InitTables(options, values, &ops));
  RAMET_ASSIGN_OR_RETURN(mapping_.init_op, Group("init", std::move(ops)));
  return OkStatus();
}

StatusOr<std::vector<Operation>> CloneStateOps::AssignAll(const StateValues& values) {
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables) {
    const std::string name = StrCat("init/", v.original.op().name());
    Operation& op = ops.emplace_back();
    if (mapping_.same_graph()) {
      RAMET_ASSIGN_OR_RETURN(op, AssignCurrent(v, name));
      continue;
    }
    auto held = values.variables.find(v.original.op().id());
    if (held == values.variables.end()) continue;
    RAMET_ASSIGN_OR_RETURN(op, AssignHeld(v, held->second, name));
  }
  return ops;
}

// A variable without a value stays uninitialized.
StatusOr<Operation> CloneStateOps::AssignCurrent(const ClonedVariable& v, const std::string& name) {
  const char* check = v.copy.record().is_resource ? "VarIsInitializedOp" : "IsVariableInitialized";
  RAMET_ASSIGN_OR_RETURN(Operation has_value,
                         AddBeside(v.copy, check, StrCat(name, "/has_value"), {v.original}));
  return OnlyIf(v.copy.ref().op(), has_value.output(0), name, [&]() -> StatusOr<Operation> {
    RAMET_ASSIGN_OR_RETURN(Output value, Current(v, name));
    RAMET_ASSIGN_OR_RETURN(value, Converted(v.copy, value, v.copy.dtype(), StrCat(name, "/cast")));
    return Assign(v.copy, value, name);
  });
}

StatusOr<Operation> CloneStateOps::AssignHeld(const ClonedVariable& v, Tensor held,
                                              const std::string& name) {
  if (held.dtype() == OriginalDtype(v) && held.dtype() != v.copy.dtype()) {
    RAMET_ASSIGN_OR_RETURN(held, ConvertFloating(held, v.copy.dtype()));
  }
  RAMET_ASSIGN_OR_RETURN(Operation constant, AddBeside(v.copy, "Const", StrCat(name, "/value"), {},
                                                       {{"value", held}, {"dtype", held.dtype()}}));
  return Assign(v.copy, constant.output(0), name);
}

StatusOr<std::vector<Operation>> CloneStateOps::RestoreAll(const std::string& prefix) {
  std::vector<Operation> ops;
  if (mapping_.variables.empty()) return ops;
  std::vector<std::string> names, slices;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < mapping_.variables.size(); ++i) {
    names.push_back(mapping_.checkpoint_names[i]);
    slices.push_back(SliceSpec(mapping_.variables[i].copy.record()));
    dtypes.push_back(OriginalDtype(mapping_.variables[i]));
  }
  std::vector<Output> inputs;
  for (auto& [part, value] : {std::pair<const char*, Tensor>{"init/prefix", Tensor(prefix)},
                              {"init/tensor_names", Strings(names)},
                              {"init/shape_and_slices", Strings(slices)}}) {
    RAMET_ASSIGN_OR_RETURN(Operation constant,
                           Add("Const", part, {}, {{"value", value}, {"dtype", kString}}));
    inputs.push_back(constant.output(0));
  }
  RAMET_ASSIGN_OR_RETURN(Operation restore,
                         Add("RestoreV2", "init/RestoreV2", inputs, {{"dtypes", dtypes}}));
  for (size_t i = 0; i < mapping_.variables.size(); ++i) {
    const ClonedVariable& v = mapping_.variables[i];
    const std::string name = StrCat("init/", v.original.op().name());
    RAMET_ASSIGN_OR_RETURN(Output value, Converted(v.copy, restore.output(static_cast<int>(i)),
                                                   v.copy.dtype(), StrCat(name, "/cast")));
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), Assign(v.copy, value, name));
  }
  return ops;
}

StatusOr<Output> CloneStateOps::Fed(const ClonedVariable& v, const std::string& name) {
  RAMET_ASSIGN_OR_RETURN(Operation fed,
                         AddBeside(v.copy, "Placeholder", StrCat(name, "/value"), {},
                                   {{"dtype", OriginalDtype(v)}, {"shape", v.copy.shape()}}));
  return fed.output(0);
}

StatusOr<Operation> CloneStateOps::MakeUpdate(std::string_view group, std::vector<Output>* feeds) {
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables) {
    const std::string name = StrCat(group, "/", v.original.op().name());
    RAMET_ASSIGN_OR_RETURN(Output value, feeds != nullptr ? Fed(v, name) : Current(v, name));
    if (feeds != nullptr) feeds->push_back(value);
    RAMET_ASSIGN_OR_RETURN(value, Converted(v.copy, value, v.copy.dtype(), StrCat(name, "/cast")));
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), Assign(v.copy, value, name));
  }
  return Group(group, std::move(ops));
}

StatusOr<Output> CloneStateOps::Mixed(const Variable& to, const Output& current,
                                      const Output& target, double tau, const std::string& name) {
  const DType dtype = BaseType(current.dtype());
  auto weight = [&](double w, const char* part) -> StatusOr<Output> {
    RAMET_ASSIGN_OR_RETURN(
        Operation constant,
        AddBeside(to, "Const", StrCat(name, part), {}, {{"value", Tensor(w)}, {"dtype", kDouble}}));
    return Converted(to, constant.output(0), dtype, StrCat(name, part, "/cast"));
  };
  RAMET_ASSIGN_OR_RETURN(Output tau_of, weight(tau, "/tau"));
  RAMET_ASSIGN_OR_RETURN(Output rest_of, weight(1 - tau, "/rest"));
  RAMET_ASSIGN_OR_RETURN(Operation a,
                         AddBeside(to, "Mul", StrCat(name, "/new"), {tau_of, current}));
  RAMET_ASSIGN_OR_RETURN(Operation b,
                         AddBeside(to, "Mul", StrCat(name, "/old"), {rest_of, target}));
  RAMET_ASSIGN_OR_RETURN(Operation sum,
                         AddBeside(to, "AddV2", StrCat(name, "/sum"), {a.output(0), b.output(0)}));
  return sum.output(0);
}

// Computes in the wider of both dtypes.
StatusOr<Output> CloneStateOps::MixedValue(const ClonedVariable& v, Output value, double tau,
                                           const std::string& name) {
  const DType own_dtype = v.copy.dtype();
  RAMET_ASSIGN_OR_RETURN(Output own,
                         Read(v.copy, v.copy.ref(), own_dtype, StrCat(name, "/read_own")));
  if (DTypeSize(OriginalDtype(v)) >= DTypeSize(own_dtype)) {
    RAMET_ASSIGN_OR_RETURN(own, Converted(v.copy, own, OriginalDtype(v), StrCat(name, "/cast")));
  } else {
    RAMET_ASSIGN_OR_RETURN(value, Converted(v.copy, value, own_dtype, StrCat(name, "/cast")));
  }
  return Mixed(v.copy, value, own, tau, name);
}

StatusOr<Operation> CloneStateOps::MakePolyak(double tau, std::vector<Output>* feeds) {
  const std::string group = "polyak";
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables) {
    const std::string name = StrCat(group, "/", v.original.op().name());
    RAMET_ASSIGN_OR_RETURN(Output value, feeds != nullptr ? Fed(v, name) : Current(v, name));
    if (feeds != nullptr) feeds->push_back(value);
    if (IsFloating(v.copy.dtype())) {
      RAMET_ASSIGN_OR_RETURN(value, MixedValue(v, value, tau, name));
      RAMET_ASSIGN_OR_RETURN(value,
                             Converted(v.copy, value, v.copy.dtype(), StrCat(name, "/rounded")));
    }
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), Assign(v.copy, value, name));
  }
  return Group(group, std::move(ops));
}

}  // namespace ramet
