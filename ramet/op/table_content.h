#pragma once

#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A TableContent exposes the part of a lookup table that layers below its kernels can read.
class TableContent {
 public:
  virtual ~TableContent() = default;
  // Returns false for a table that is filled once and has not been filled yet.
  virtual bool has_content() const = 0;
  // Returns all keys and all values, as two vectors in the same order.
  virtual Status Export(Tensor& keys, Tensor& values, Allocator* allocator) const = 0;
};

}  // namespace ramet
