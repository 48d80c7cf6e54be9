#pragma once

#include "chain_draft.h"

namespace ramet::fuzz {

// Moves a chain into a function, which the graph calls, takes as both branches, or repeats as the
// body of a loop. Placeholders become its arguments.
GraphDraft MoveIntoFunction(Random& random, const Chain& chain);

// Moves a chain into the body of a loop of the form that tf.while_loop writes. One of the chain's
// tensors is the loop's variable, which the chain reads.
GraphDraft MoveIntoLoop(Random& random, const Chain& chain);

}  // namespace ramet::fuzz
