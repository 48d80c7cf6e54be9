#pragma once

#include <vector>

#include "ramet/op/op.h"

namespace ramet {

// Fills in missing attrs: types and counts from the inputs' dtypes, then defaults.
// \error kInvalidArgument: the number of inputs does not match the op's definition.
Status InferAttrs(const OpSchema& schema, const std::vector<DType>& input_types, AttrMap* attrs);

// Returns how many of `num_inputs` flat inputs each argument of `schema` takes, given the attrs
// that are set.
// \error kInvalidArgument: the inputs cannot be divided among the arguments.
StatusOr<std::vector<int>> SplitInputs(const OpSchema& schema, int num_inputs,
                                       const AttrMap& attrs);

}  // namespace ramet
