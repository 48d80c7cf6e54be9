#include "ramet/edit/clone_state.h"

#include <cstring>

#include "ramet/graph/names.h"
#include "ramet/graph/variable_scope.h"

namespace ramet {
namespace {

// "rows,columns 0,2:0,3": the part of the whole that a variable is; "" for all of it.
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
  spec.attrs = std::move(attrs);
  return graph_.AddNode(std::move(spec));
}

StatusOr<Operation> CloneStateOps::AddBeside(const Variable& v, std::string_view op,
                                             std::string_view name, std::vector<Output> inputs,
                                             AttrMap attrs) {
  attrs.Set("_class", std::vector<std::string>{StrCat("loc:@", v.op_name())});
  RAMET_ASSIGN_OR_RETURN(Operation made, Add(op, name, std::move(inputs), std::move(attrs)));
  const std::string device = v.ref().op().device();
  if (!device.empty()) RAMET_RETURN_IF_ERROR(graph_.SetDevice(made, device));
  return made;
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

Status CloneStateOps::MakeInit(const CloneOptions& options, const VariableValues& values) {
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
    if (v.initializer().valid()) continue;
    EditVariable(v, [&](VariableRecord& record) { record.initializer = ops[i]; });
  }
  RAMET_ASSIGN_OR_RETURN(mapping_.init_op, Group("init", std::move(ops)));
  return OkStatus();
}

StatusOr<std::vector<Operation>> CloneStateOps::AssignAll(const VariableValues& values) {
  std::vector<Operation> ops;
  for (size_t i = 0; i < mapping_.variables.size(); ++i) {
    const ClonedVariable& v = mapping_.variables[i];
    const std::string name = StrCat("init/", v.original.op().name());
    Output value;
    if (mapping_.same_graph()) {
      RAMET_ASSIGN_OR_RETURN(value,
                             Read(v.copy, v.original, v.copy.dtype(), StrCat(name, "/read")));
    } else {
      const Tensor& held = values.at(v.original.op().id());
      RAMET_ASSIGN_OR_RETURN(Operation constant,
                             AddBeside(v.copy, "Const", StrCat(name, "/value"), {},
                                       {{"value", held}, {"dtype", held.dtype()}}));
      value = constant.output(0);
    }
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), Assign(v.copy, value, name));
  }
  return ops;
}

StatusOr<std::vector<Operation>> CloneStateOps::RestoreAll(const std::string& prefix) {
  std::vector<Operation> ops;
  if (mapping_.variables.empty()) return ops;
  std::vector<std::string> names, slices;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < mapping_.variables.size(); ++i) {
    names.push_back(mapping_.checkpoint_names[i]);
    slices.push_back(SliceSpec(mapping_.variables[i].copy.record()));
    dtypes.push_back(mapping_.variables[i].copy.dtype());
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
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(),
                           Assign(mapping_.variables[i].copy, restore.output(static_cast<int>(i)),
                                  StrCat("init/", mapping_.variables[i].original.op().name())));
  }
  return ops;
}

StatusOr<Operation> CloneStateOps::MakeUpdate(std::string_view group) {
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables) {
    const std::string name = StrCat(group, "/", v.original.op().name());
    RAMET_ASSIGN_OR_RETURN(Output value,
                           Read(v.copy, v.original, v.copy.dtype(), StrCat(name, "/read")));
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), Assign(v.copy, value, name));
  }
  return Group(group, std::move(ops));
}

StatusOr<Output> CloneStateOps::Mixed(const Variable& to, const Output& current,
                                      const Output& target, double tau, const std::string& name) {
  auto weight = [&](double w, const char* part) -> StatusOr<Output> {
    RAMET_ASSIGN_OR_RETURN(
        Operation constant,
        AddBeside(to, "Const", StrCat(name, part), {}, {{"value", Tensor(w)}, {"dtype", kDouble}}));
    if (to.dtype() == kDouble) return constant.output(0);
    RAMET_ASSIGN_OR_RETURN(Operation cast, AddBeside(to, "Cast", StrCat(name, part, "/cast"),
                                                     {constant.output(0)}, {{"DstT", to.dtype()}}));
    return cast.output(0);
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

StatusOr<Operation> CloneStateOps::MakePolyak(double tau) {
  const std::string group = "polyak";
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables) {
    const std::string name = StrCat(group, "/", v.original.op().name());
    const DType dtype = v.copy.dtype();
    RAMET_ASSIGN_OR_RETURN(Output value, Read(v.copy, v.original, dtype, StrCat(name, "/read")));
    if (IsFloating(dtype)) {
      RAMET_ASSIGN_OR_RETURN(Output own,
                             Read(v.copy, v.copy.ref(), dtype, StrCat(name, "/read_own")));
      RAMET_ASSIGN_OR_RETURN(value, Mixed(v.copy, value, own, tau, name));
    }
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), Assign(v.copy, value, name));
  }
  return Group(group, std::move(ops));
}

}  // namespace ramet
