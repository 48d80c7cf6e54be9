#pragma once

#include <ramet/ramet.h>

#include <string>
#include <vector>

namespace server {

// Makes a signature for a graph that has none. Its outputs are the tensors named in `outputs`
// ("out" means "out:0"), or else those in the graph's collection "outputs". If that is empty, they
// are those that a user would probably ask for: not used by training, with as few placeholders as
// possible, and read by nothing else than the loss. If only scalars are left, because the loss
// needs no labels, they are what the last operations with variables compute, and the activations
// after them. Its inputs are the placeholders that the outputs need. The keys are the names of the
// operations.
// \error kNotFound: the graph has no tensor of that name.
// \error kInvalidArgument: no tensor of the graph looks like an output.
ramet::StatusOr<ramet::Signature> DefaultSignature(const ramet::Graph& graph,
                                                   const std::vector<std::string>& outputs);

}  // namespace server
