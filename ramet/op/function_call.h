#pragma once

#include "ramet/op/op.h"

namespace ramet {

// How an op calls library functions of the graph. Executors implement these calls themselves. A
// node whose op is the name of a function also calls it; its kind is kNone.
enum class FunctionCallKind : uint8_t {
  kNone,
  kCall,      // PartitionedCall: the function of attr "f"
  kGradient,  // SymbolicGradient: the gradient of the function of attr "f"
  kIf,        // "then_branch" or "else_branch", chosen by input 0, on the remaining inputs
  kCase,      // one of "branches", chosen by input 0, on the remaining inputs
  kWhile      // "body" on the inputs, then on its own results, while "cond" is true
};

// Returns the kind of a registered op; kNone for any other. Thread-safe.
RAMET_EXPORT FunctionCallKind FunctionCallOf(const Op& op);

}  // namespace ramet
