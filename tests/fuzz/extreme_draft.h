#pragma once

#include "draft.h"
#include "random.h"

namespace ramet::fuzz {

// Drafts a graph of a simple structure and an extreme size: a long chain, one in which every node
// reads its predecessor twice, functions that call one another deeply or twice, nested branches and
// loops, a node with very many inputs, names with very many parts. A library that recurses on its
// input, or takes time that is not linear in it, fails on some of them.
GraphDraft DraftExtreme(Random& random);

}  // namespace ramet::fuzz
