#pragma once

#include "draft.h"
#include "random.h"

namespace ramet::fuzz {

// Drafts a graph of up to a few dozen nodes on small float tensors: arithmetic, variables, calls of
// functions that call others, branches and bounded loops in both forms (If and While, Switch and
// Merge). Drafted graphs can run.
GraphDraft DraftGraph(Random& random);

}  // namespace ramet::fuzz
