#pragma once

#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// TableContent is the part of a lookup table that layers below the table's kernels can read.
class TableContent {
 public:
  virtual ~TableContent() = default;
  // A table that is filled once has no content before it is filled.
  virtual bool has_content() const = 0;
  // Returns all keys and all values, two vectors in one order.
  virtual Status Export(Tensor& keys, Tensor& values, Allocator* allocator) const = 0;
};

}  // namespace ramet
