#pragma once

#include "ramet/ops/dataset/iterator_scope.h"

namespace ramet {

// Returns the factory for iterators that call `function` on the elements of the dataset's input,
// `calls` at a time on threads of their own. The elements keep their order. Errors come in order
// too.
IteratorFactory ParallelMapFactory(CapturedFunctionPtr function, int calls);

}  // namespace ramet
