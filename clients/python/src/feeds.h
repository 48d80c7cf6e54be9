#pragma once

#include "core.h"

namespace ramet::python {

// A tensor that is fed, with the dtype and shape that its values must have.
struct FeedSlot {
  Output tensor;
  DType dtype;
  Shape shape;
};

// Converts a Python value for the tensor. Raises TypeError and ValueError like Session.run.
Tensor FeedValue(PyObject* value, const FeedSlot& slot);
// Raises TypeError if it is not a Tensor.
const PyTensor* FeedOf(nb::handle h);
// Returns a fetched element: output `index` of a node, or the node itself if `index` is negative.
GraphElement Element(int64_t node, int64_t index, Graph& graph);

}  // namespace ramet::python
