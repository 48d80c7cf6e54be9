#include "ramet/edit/clone/initial_values.h"

#include "ramet/base/run_interrupt.h"
#include "ramet/edit/clone/convert_floating.h"
#include "ramet/edit/clone/initial_tables.h"
#include "ramet/graph/make_variable.h"
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

std::string InitName(const ClonedVariable& v) { return StrCat("init/", v.original.op().name()); }

}  // namespace

Status InitialValues::AddInit() {
  RAMET_RETURN_IF_ERROR(CompleteReads());
  if (StopDue()) return InterruptedStatus();
  RAMET_ASSIGN_OR_RETURN(std::vector<Operation> ops, InitVariables());
  RAMET_RETURN_IF_ERROR(CompleteInitializers(ops));
  std::erase_if(ops, [](const Operation& op) { return !op.valid(); });
  RAMET_RETURN_IF_ERROR(InitTables(options_, values_, mapping_, &builder_, &ops));
  RAMET_ASSIGN_OR_RETURN(mapping_.steps.init, builder_.Group("init", std::move(ops)));
  return OkStatus();
}

Status InitialValues::CompleteReads() {
  for (const ClonedVariable& v : mapping_.variables.list) {
    if (!v.copy.record().is_resource || v.copy.record().snapshot != v.copy.ref()) continue;
    RAMET_ASSIGN_OR_RETURN(auto dtype, v.copy.ref().op().attr<DType>("dtype"));
    const std::string name = StrCat("read/", v.original.op().name());
    RAMET_ASSIGN_OR_RETURN(Output read, builder_.Read(v.copy, v.copy.ref(), dtype, name));
    EditVariable(v.copy, [&](VariableRecord& record) { record.snapshot = read; });
  }
  return OkStatus();
}

Status InitialValues::CompleteInitializers(const std::vector<Operation>& ops) {
  for (size_t i = 0; i < ops.size(); ++i) {
    const Variable& v = mapping_.variables.list[i].copy;
    if (v.initializer().valid() || !ops[i].valid()) continue;
    EditVariable(v, [&](VariableRecord& record) { record.initializer = ops[i]; });
  }
  return OkStatus();
}

StatusOr<std::vector<Operation>> InitialValues::InitVariables() {
  if (const std::string* prefix = options_.initial.checkpoint()) return RestoreAll(*prefix);
  if (options_.initial.is(CloneInitialKind::kCurrent)) return AssignAll();
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables.list) ops.push_back(v.copy.initializer());
  return ops;
}

StatusOr<std::vector<Operation>> InitialValues::AssignAll() {
  std::vector<Operation> ops;
  for (const ClonedVariable& v : mapping_.variables.list) {
    if (StopDue()) return InterruptedStatus();
    Operation& op = ops.emplace_back();
    if (mapping_.same_graph()) {
      RAMET_ASSIGN_OR_RETURN(op, AssignCurrent(v, InitName(v)));
      continue;
    }
    auto known = values_.variables.find(v.original.op().id());
    if (known == values_.variables.end()) continue;
    RAMET_ASSIGN_OR_RETURN(op, AssignKnown(v, known->second, InitName(v)));
  }
  return ops;
}

// A variable without a value stays uninitialized.
StatusOr<Operation> InitialValues::AssignCurrent(const ClonedVariable& v, const std::string& name) {
  const char* check = v.copy.record().is_resource ? "VarIsInitializedOp" : "IsVariableInitialized";
  RAMET_ASSIGN_OR_RETURN(
      Operation has_value,
      builder_.AddColocated(v.copy, check, StrCat(name, "/has_value"), {v.original}));
  auto assign = [&]() -> StatusOr<Operation> {
    RAMET_ASSIGN_OR_RETURN(Output value, builder_.ReadOriginal(v, name));
    RAMET_ASSIGN_OR_RETURN(value,
                           builder_.Cast(v.copy, value, v.copy.dtype(), StrCat(name, "/cast")));
    return builder_.Assign(v.copy, value, name);
  };
  return builder_.OnlyIf(v.copy.ref().op(), has_value.output(0), name, assign);
}

StatusOr<Operation> InitialValues::AssignKnown(const ClonedVariable& v, Tensor value,
                                               const std::string& name) {
  if (value.dtype() == OriginalDtype(v) && value.dtype() != v.copy.dtype()) {
    RAMET_ASSIGN_OR_RETURN(value, ConvertFloating(value, v.copy.dtype()));
  }
  RAMET_ASSIGN_OR_RETURN(Output constant,
                         builder_.Constant(v.copy.ref().op(), StrCat(name, "/value"), value));
  return builder_.Assign(v.copy, constant, name);
}

StatusOr<std::vector<Operation>> InitialValues::RestoreAll(const std::string& prefix) {
  std::vector<Operation> ops;
  if (mapping_.variables.list.empty()) return ops;
  RAMET_ASSIGN_OR_RETURN(Operation restore, AddRestore(prefix));
  for (size_t i = 0; i < mapping_.variables.list.size(); ++i) {
    const ClonedVariable& v = mapping_.variables.list[i];
    const std::string name = InitName(v);
    RAMET_ASSIGN_OR_RETURN(Output value, builder_.Cast(v.copy, restore.output(static_cast<int>(i)),
                                                       v.copy.dtype(), StrCat(name, "/cast")));
    RAMET_ASSIGN_OR_RETURN(ops.emplace_back(), builder_.Assign(v.copy, value, name));
  }
  return ops;
}

// Returns an operation that reads all variables from a checkpoint.
StatusOr<Operation> InitialValues::AddRestore(const std::string& prefix) {
  std::vector<std::string> names, slices;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < mapping_.variables.list.size(); ++i) {
    names.push_back(mapping_.variables.origins[i].checkpoint_name);
    slices.push_back(SliceSpec(mapping_.variables.list[i].copy.record()));
    dtypes.push_back(OriginalDtype(mapping_.variables.list[i]));
  }
  std::vector<Output> inputs;
  for (auto& [part, value] : {std::pair<const char*, Tensor>{"init/prefix", Tensor(prefix)},
                              {"init/tensor_names", Strings(names)},
                              {"init/shape_and_slices", Strings(slices)}}) {
    RAMET_ASSIGN_OR_RETURN(Operation constant,
                           builder_.Add("Const", part, {}, {{"value", value}, {"dtype", kString}}));
    inputs.push_back(constant.output(0));
  }
  return builder_.Add("RestoreV2", "init/RestoreV2", inputs, {{"dtypes", dtypes}});
}

}  // namespace ramet
