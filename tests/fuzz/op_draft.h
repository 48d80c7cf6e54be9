#pragma once

#include "case.h"
#include "draft.h"
#include "handles.h"
#include "ramet/op/op.h"
#include "random.h"

namespace ramet::fuzz {

// Drafts a graph whose node "subject" has this op, with attrs and inputs drawn from its definition.
// Most match each other, some are hostile.
GraphDraft DraftOp(Random& random, const Op& op);

// Adds a node `name` with this op to the draft, and the nodes that it needs. Some of its inputs are
// tensors of `made` that have the right dtype, the others are drawn for the shape `base`.
void AddDrawnOp(GraphDraft* draft, Random& random, const Op& op, const std::string& name,
                const std::vector<MadeTensor>& made, const Shape& base);
// Drafts a graph with the op, attrs and inputs of a case recorded with TensorFlow, changed in up to
// three places.
GraphDraft DraftChangedCase(Random& random, const conformance::Case& c);

// Adds the functions that drafted calls, branches and loops refer to.
void AddFunctions(GraphDraft* draft);

}  // namespace ramet::fuzz
