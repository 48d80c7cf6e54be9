#include "ramet/edit/clone/copied_ops.h"

#include <algorithm>

#include "ramet/graph/edit_graph.h"
#include "ramet/op/control_flow.h"

namespace ramet {

const CopiedOp& CopiedOps::Find(const Op* op) {
  auto [it, added] = known_.try_emplace(op);
  if (!added) return it->second;
  CopiedOp& found = it->second;
  found.op = op;
  found.target = TargetOp(op);
  found.has_frame = ControlFlowOf(*op) == ControlFlow::kEnter;
  found.has_shared_name = op->schema().FindAttr("shared_name") != nullptr;
  found.is_handle = op->name() == "VarHandleOp";
  found.calls_functions =
      !functions_.empty() && std::ranges::any_of(op->schema().attrs, [](const AttrSchema& a) {
        return a.type == "func" || a.type == "list(func)";
      });
  found.is_constant = op->name() == "Const";
  return found;
}

const Op* CopiedOps::TargetOp(const Op* op) const {
  const std::string* copy = functions_.CopyOf(op->name());
  if (copy == nullptr && (mapping_.same_graph() || op->registered())) return op;
  OpSchema schema = op->schema();
  if (copy != nullptr) schema.name = *copy;
  return ForeignOpIn(*mapping_.target, std::move(schema));
}

}  // namespace ramet
