#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core.h"

namespace ramet::python {

// A parameter of an op's wrapper: an input, or an attr that the inputs do not determine.
struct Parameter {
  PyObject* name;  // interned
  const ArgSchema* input = nullptr;
  const AttrSchema* attr = nullptr;
};

struct RememberedCalls;

// The order of an op's parameters, as in TensorFlow's generated wrappers: the inputs, the attrs
// without a default, the attrs with a default, and name.
struct Signature {
  const Op* op;
  std::vector<Parameter> parameters;
  size_t required = 0;  // parameters without a default
  PyObject* result_class = nullptr;
  std::shared_ptr<RememberedCalls> remembered = nullptr;  // created by RememberCall
};

// Arguments whose names differ between the wrapper and the op.
using Renames = std::unordered_map<std::string, std::string>;

Signature MakeSignature(const Op& op, const Renames& renames);

// Reports whether an argument consists of several tensors.
inline bool IsList(const ArgSchema& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

// Adds the node for the values like TensorFlow's wrappers do: converts the inputs, infers types
// from them, and creates constants in the scope of the node's name. `values` has one element per
// parameter, null for those that are not given. `name` may be null or None. Returns a new reference
// to TensorFlow's result: a Tensor, a list or named tuple of Tensors, or the Operation. Raises
// TypeError or ValueError with TensorFlow's messages.
PyObject* RunOp(const Signature& signature, PyObject* const* values, PyObject* name);

}  // namespace ramet::python
