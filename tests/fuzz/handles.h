#pragma once

#include <string>
#include <vector>

#include "draft.h"
#include "random.h"

namespace ramet::fuzz {

// A tensor that an earlier node of the draft makes.
struct MadeTensor {
  std::string name;
  DType dtype = kFloat;
};

// The state of drafting one node, whose inputs are drawn one after another.
struct DraftContext {
  GraphDraft& draft;
  Random& random;
  std::string op;
  DType dtype = kFloat;                  // of the data
  Shape base = {};                       // of the data
  AttrMap attrs = {};                    // of the node
  std::vector<std::string> before = {};  // control inputs of the node
  std::string flow = {};                 // of the TensorArray that the node uses
  std::vector<MadeTensor> made = {};     // tensors that may be inputs
};

// Adds a node that produces `value`: a constant, or a fed tensor about which inference knows
// everything, a part or nothing. Returns its name.
std::string AddValue(DraftContext& context, const Tensor& value, std::string_view name = "in");

// Adds a resource variable with that value. Returns the handle.
std::string AddVariable(DraftContext& context, const Tensor& value);
// Adds a reference variable with a value. Returns the reference.
std::string AddReference(DraftContext& context, DType dtype, const Shape& shape);
// Adds a resource for `context.op`: a variable, table, stack, TensorArray or list, according to the
// op's name; occasionally one of the wrong kind. `dtype` is resource, variant or string.
std::string AddHandle(DraftContext& context, DType dtype, bool is_ref);

}  // namespace ramet::fuzz
