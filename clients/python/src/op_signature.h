#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core.h"

namespace ramet::python {

// One parameter of an op's wrapper: an input, or an attr that the inputs do not state.
struct Parameter {
  PyObject* name;  // interned
  const ArgSchema* input = nullptr;
  const AttrSchema* attr = nullptr;
};

// How an op is called: the inputs in order, then the attrs without a default, then those with one
// (the rule of TensorFlow's generated wrappers), then name.
struct Signature {
  const Op* op;
  std::vector<Parameter> parameters;
  size_t required = 0;  // parameters without a default
  PyObject* result_class = nullptr;
};

// Arguments that the wrapper calls other than the op does.
using Renames = std::unordered_map<std::string, std::string>;

Signature MakeSignature(const Op& op, const Renames& renames);

// Whether an argument stands for several tensors.
inline bool IsList(const ArgSchema& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

// Adds the node that the values ask for, as TensorFlow's wrappers do: converts the inputs, infers
// types from them, makes constants below the node's name. `values` are in the order of the
// parameters, null where nothing was given; `name` may be null or None. A new reference to what
// TensorFlow returns: a Tensor, a list or named tuple of them, or the Operation. Raises TypeError
// or ValueError in TensorFlow's words.
PyObject* RunOp(const Signature& signature, PyObject* const* values, PyObject* name);

}  // namespace ramet::python
