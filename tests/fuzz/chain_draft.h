#pragma once

#include <vector>

#include "draft.h"
#include "handles.h"
#include "ramet/op/op.h"

namespace ramet::fuzz {

// A Chain is a graph of several drawn ops that read one another's outputs.
struct Chain {
  GraphDraft draft;
  // The outputs of the drawn ops.
  std::vector<MadeTensor> tensors;
};

// Drafts a chain of `length` of the ops, with attrs and values drawn as for single ops. Ops that
// the library refuses are left out, so that the whole graph can be built.
Chain DraftChain(Random& random, const std::vector<const Op*>& ops, int64_t length);

}  // namespace ramet::fuzz
