#pragma once

#include "core.h"

namespace ramet::python {

// One tensor that is fed: what a value must be.
struct FeedSlot {
  Output tensor;
  DType dtype;
  Shape shape;
};

// What a Python value is for that tensor. Raises TypeError, ValueError as Session.run says.
Tensor FeedValue(PyObject* value, const FeedSlot& slot);
// Raises TypeError if it is no Tensor.
const PyTensor* FeedOf(nb::handle h);
// What is fetched: output `index` of a node, or for a negative one the node itself.
GraphElement Element(int64_t node, int64_t index, Graph& graph);

}  // namespace ramet::python
