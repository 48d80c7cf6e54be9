#include "ramet/op/function_call.h"

#include <unordered_map>

namespace ramet {
namespace {

std::unordered_map<const Op*, FunctionCallKind> CallKindsByOp() {
  const std::pair<const char*, FunctionCallKind> kinds[] = {
      {"PartitionedCall", FunctionCallKind::kCall},
      {"StatefulPartitionedCall", FunctionCallKind::kCall},
      {"SymbolicGradient", FunctionCallKind::kGradient},
      {"If", FunctionCallKind::kIf},
      {"StatelessIf", FunctionCallKind::kIf},
      {"Case", FunctionCallKind::kCase},
      {"StatelessCase", FunctionCallKind::kCase},
      {"While", FunctionCallKind::kWhile},
      {"StatelessWhile", FunctionCallKind::kWhile},
  };
  std::unordered_map<const Op*, FunctionCallKind> table;
  for (const auto& [name, kind] : kinds) {
    if (const Op* op = OpRegistry::Global().Find(name)) table.emplace(op, kind);
  }
  return table;
}

}  // namespace

FunctionCallKind FunctionCallOf(const Op& op) {
  static const auto& table = *new std::unordered_map<const Op*, FunctionCallKind>(CallKindsByOp());
  auto it = table.find(&op);
  return it == table.end() ? FunctionCallKind::kNone : it->second;
}

}  // namespace ramet
