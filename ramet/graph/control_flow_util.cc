#include "ramet/graph/control_flow_util.h"

namespace ramet {

bool CallsFunction(const NodeSpec& node) {
  return node.op == "SymbolicGradient" || OpRegistry::Global().Find(node.op) == nullptr;
}

WhileContext* LoopAround(ControlFlowContext* context) {
  return context ? context->while_context() : nullptr;
}

}  // namespace ramet
