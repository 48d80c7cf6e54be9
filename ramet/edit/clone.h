#pragma once

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/edit/clone_options.h"
#include "ramet/edit/cloned.h"
#include "ramet/graph/graph.h"

namespace ramet {

// Copies a graph, or a part of it, with state of its own. Copied variables join every collection of
// their originals and keep their initializers and slices. Colocations, frames, branches, loops and
// the names of shared resources are adapted. A different target graph gets copies of the functions.
// The result is an ordinary part of its graph and can be trained, saved, exported and cloned again.
// Variables of a graph without records of them (a bare GraphDef) are found by their operations and
// join the collection "variables".
//
// Functions whose bodies create variables, tables or queues by name are copied ("f_copy") with new
// names for that state, and so are their callers. State of the graph that functions refer to by
// name is part of the clone. Copied save and restore nodes use the clone's names ("w" is stored as
// "copy/w"), so that a checkpoint can hold both. SaverMap reads checkpoints of the original.
//
// Cloning a part of a loop's body, with outputs and inputs within the body, copies it without the
// loop. Gradients can be built for cloned loops.
//
// Adds everything or, on an error, nothing. Locks both graphs. Takes time linear in the nodes of
// the source. Errors name the argument and the tensor or operation.
// \error kNotFound: there is no such element.
// \error kInvalidArgument: outputs are combined with ops or scope.
// \error kInvalidArgument: an input is a reference or lies inside a loop that is cloned.
// \error kInvalidArgument: a replacement has a different graph, dtype or shape.
// \error kInvalidArgument: with a different target graph, a tensor from outside is neither in
//   inputs nor in input_map, state is shared, or kCurrent lacks a session.
// \error kInvalidArgument: a variable has no initializer, or a value has a different dtype or
//   shape.
// \error kInvalidArgument: a dtype rule names a dtype that is not floating.
// \error kInvalidArgument: a device cannot be parsed.
// \error kInvalidArgument: dst_scope or the name of a placeholder is illegal.
// \error kInvalidArgument: a function of the target has a different body.
// \error kFailedPrecondition: the target is finalized.
// \error kResourceExhausted: the target would have more than 2^30 nodes.
// \error kCancelled: the client interrupts the call (RunInterrupt).
RAMET_EXPORT StatusOr<Cloned> Clone(Graph& source, const CloneOptions& options = {});

}  // namespace ramet
