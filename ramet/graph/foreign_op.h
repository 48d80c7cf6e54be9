#pragma once

#include <vector>

#include "ramet/op/op.h"

// Ops that have no definition: nodes of a file use them, but neither Ramet nor the file defines
// them. A node's inputs and outputs are those that the file uses.
namespace ramet {

// The doc text in the schema of an op that has no definition.
inline constexpr char kInferredOpDoc[] = "(inferred from use)";
inline bool IsInferred(const Op& op) {
  return !op.registered() && op.schema().doc == kInferredOpDoc;
}

// Returns the output dtypes of a node without an op definition, as far as its attrs determine them.
std::vector<DType> GuessOutputTypes(const AttrMap& attrs, int num_outputs);

}  // namespace ramet
