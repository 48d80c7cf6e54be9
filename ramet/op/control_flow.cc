#include "ramet/op/control_flow.h"

#include <unordered_map>

namespace ramet {
namespace {

std::unordered_map<const Op*, ControlFlow> RolesByOp() {
  const std::pair<const char*, ControlFlow> parts[] = {
      {"Switch", ControlFlow::kSwitch},
      {"RefSwitch", ControlFlow::kSwitch},
      {"Merge", ControlFlow::kMerge},
      {"RefMerge", ControlFlow::kMerge},
      {"Enter", ControlFlow::kEnter},
      {"RefEnter", ControlFlow::kEnter},
      {"Exit", ControlFlow::kExit},
      {"RefExit", ControlFlow::kExit},
      {"NextIteration", ControlFlow::kNextIteration},
      {"RefNextIteration", ControlFlow::kNextIteration},
      {"ControlTrigger", ControlFlow::kControlTrigger},
  };
  std::unordered_map<const Op*, ControlFlow> table;
  for (const auto& [name, part] : parts) {
    if (const Op* op = OpRegistry::Global().Find(name)) table.emplace(op, part);
  }
  return table;
}

}  // namespace

ControlFlow ControlFlowOf(const Op& op) {
  static const auto& table = *new std::unordered_map<const Op*, ControlFlow>(RolesByOp());
  auto it = table.find(&op);
  return it == table.end() ? ControlFlow::kNone : it->second;
}

}  // namespace ramet
