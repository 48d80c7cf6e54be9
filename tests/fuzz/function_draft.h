#pragma once

#include <string>
#include <vector>

#include "draft.h"
#include "random.h"

namespace ramet::fuzz {

// The functions of a drafted graph, by name.
struct DraftedFunctions {
  std::vector<std::string> calls;  // (x: float) -> float, some of which call others
  std::string condition, body;     // of a loop over (i: int32, x: float)
};

// Adds a constant to a function's body and returns the reference to its value.
std::string AddInt(FunctionDef* function, const std::string& name, int value);

// Adds functions to the draft's library.
DraftedFunctions DraftFunctions(Random& random, GraphDraft* draft);

}  // namespace ramet::fuzz
