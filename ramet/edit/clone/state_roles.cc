#include "ramet/edit/clone/state_roles.h"

namespace ramet {
namespace {

bool IsUpdate(const std::string& op) {
  for (std::string_view prefix : {"Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

StateRole StateRoles::Classify(const Op& op) {
  const std::string& name = op.name();
  if (name == "VariableV2" || name == "Variable" || name == "VarHandleOp") {
    return StateRole::kVariable;
  }
  if (name == "Assign" || name == "AssignVariableOp") return StateRole::kAssign;
  if (name == "IsVariableInitialized" || name == "VarIsInitializedOp") return StateRole::kCheck;
  if (name == "Identity" || name == "ReadVariableOp") return StateRole::kRead;
  if (name.starts_with("InitializeTable")) return StateRole::kInitializes;
  if (name.starts_with("LookupTableImport")) return StateRole::kImports;
  if (IsUpdate(name)) return StateRole::kApply;
  if (op.schema().FindAttr("shared_name") != nullptr) return StateRole::kResource;
  return StateRole::kNone;
}

}  // namespace ramet
