#include "ramet/runtime/host_memory.h"

#include <algorithm>

#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

bool OnlyInHostMemory(DType t) { return DTypeSize(BaseType(t)) == 0; }

// Calls visit(arg, dtype) for each tensor until it returns false.
template <class Visit>
bool ForEachTensor(const OpSchema& schema, const std::vector<ArgSchema>& args, const AttrMap& attrs,
                   Visit visit) {
  return std::ranges::all_of(args, [&](const ArgSchema& arg) {
    const auto types = schema.Expand({arg}, attrs);
    return !types.ok() || std::ranges::all_of(*types, [&](DType t) { return visit(arg, t); });
  });
}

bool PassesOn(const Op& op) {
  return op.name() == "Identity" || ControlFlowOf(op) != ControlFlow::kNone;
}

}  // namespace

std::vector<bool> InHostMemory(const Op& op, const std::vector<ArgSchema>& args,
                               const AttrMap& attrs) {
  std::vector<bool> host;
  ForEachTensor(op.schema(), args, attrs, [&](const ArgSchema& arg, DType t) {
    host.push_back(op.HostInput(arg.name) || OnlyInHostMemory(t));
    return true;
  });
  return host;
}

bool FitsDevice(const Op& op, const AttrMap& attrs) {
  if (op.calls_program()) return false;
  if (PassesOn(op)) return true;
  const auto fits = [&](const ArgSchema& arg, DType t) {
    return !OnlyInHostMemory(t) || BaseType(t) == DType::kResource || op.HostInput(arg.name);
  };
  const OpSchema& schema = op.schema();
  return ForEachTensor(schema, schema.inputs, attrs, fits) &&
         ForEachTensor(schema, schema.outputs, attrs, fits);
}

}  // namespace ramet
