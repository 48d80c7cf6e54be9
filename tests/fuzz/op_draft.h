#pragma once

#include "case.h"
#include "draft.h"
#include "ramet/op/op.h"
#include "random.h"

namespace ramet::fuzz {

// A graph whose node "subject" is of this op, with attrs and inputs drawn from its definition:
// mostly ones that fit each other, some hostile.
GraphDraft DraftOp(Random& random, const Op& op);

// A graph with the op, attrs and inputs of a case that real TensorFlow answered, changed in up to
// three places.
GraphDraft DraftChangedCase(Random& random, const conformance::Case& c);

// Adds the functions that drafted calls, branches and loops name.
void AddFunctions(GraphDraft* draft);

}  // namespace ramet::fuzz
