#pragma once

#include "ramet/op/op.h"

namespace ramet {

// How an op calls functions of the graph's library, which executors carry out themselves. A node
// whose op is the name of a function calls it too, and is of none of these ops.
enum class FunctionCallKind : uint8_t {
  kNone,
  kCall,      // PartitionedCall: the function of attr "f"
  kGradient,  // SymbolicGradient: the gradient of the function of attr "f"
  kIf,        // "then_branch" or "else_branch", as input 0 says, on the other inputs
  kCase,      // one of "branches", as input 0 says, on the other inputs
  kWhile      // "body" on the inputs, then on what it returned, as long as "cond" says so
};

// By the identity of a registered op. Thread-safe.
RAMET_EXPORT FunctionCallKind FunctionCallOf(const Op& op);

}  // namespace ramet
