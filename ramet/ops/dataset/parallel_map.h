#pragma once

#include <functional>

#include "ramet/ops/dataset/iterator_scope.h"

namespace ramet {

// Makes an element of an element of the input, whose tensors it may take. Called by several
// threads.
using ElementFunction = std::function<StatusOr<Element>(NextContext& context, Element& element)>;

// Returns the factory for iterators that call `function` on the elements of the dataset's input,
// `calls` at a time on threads of their own. The elements keep their order. Errors come in order
// too.
IteratorFactory ParallelMapFactory(CapturedFunctionPtr function, int calls);
IteratorFactory ParallelMapFactory(ElementFunction function, int calls);

}  // namespace ramet
