#pragma once

#include <string>
#include <vector>

#include "draft.h"
#include "random.h"

namespace ramet::fuzz {

// The state of drafting one node: its inputs are drawn one after another.
struct DraftContext {
  GraphDraft& draft;
  Random& random;
  std::string op;
  DType dtype = kFloat;             // of the data
  Shape base;                       // of the data
  AttrMap attrs;                    // of the node
  std::vector<std::string> before;  // what the node must wait for
  std::string flow;                 // of the TensorArray that the node works on
};

// Adds a node that gives `value`: a constant, or something fed of which inference knows all, a part
// or nothing. Returns its name.
std::string AddValue(DraftContext& context, const Tensor& value, std::string_view name = "in");

// A resource variable of that value. Returns the handle.
std::string AddVariable(DraftContext& context, const Tensor& value);
// A variable of a reference type with a value. Returns the reference.
std::string AddReference(DraftContext& context, DType dtype, const Shape& shape);
// Adds a resource for `context.op` to work on: a variable, table, stack, TensorArray or list, as
// the op's name says; now and then one of a kind that the op cannot work on. `dtype` is resource,
// variant or string.
std::string AddHandle(DraftContext& context, DType dtype, bool is_ref);

}  // namespace ramet::fuzz
