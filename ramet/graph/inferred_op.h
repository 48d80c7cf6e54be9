#pragma once

#include <vector>

#include "ramet/op/op.h"

// An inferred op has no definition: nodes of a file use it, but neither Ramet nor the file defines
// it. A node's inputs and outputs are those that the file uses.
namespace ramet {

// The doc text in the schema of an inferred op.
inline constexpr char kInferredOpDoc[] = "(inferred from use)";
inline bool IsInferred(const Op& op) {
  return !op.registered() && op.schema().doc == kInferredOpDoc;
}

// Returns the output dtypes of a node of an inferred op, as far as its attrs determine them.
std::vector<DType> GuessOutputTypes(const AttrMap& attrs, int num_outputs);

}  // namespace ramet
