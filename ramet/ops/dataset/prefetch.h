#pragma once

#include "ramet/ops/dataset/iterator_scope.h"

namespace ramet {

// Returns an iterator of `dataset` that reads up to `size` elements of `input` ahead on a thread of
// its own. -1 begins with one element and doubles each time the consumer finds none, up to 64.
IteratorPtr MakePrefetchIterator(DatasetPtr dataset, IteratorPtr input, int64_t size,
                                 IteratorScope& scope);

}  // namespace ramet
