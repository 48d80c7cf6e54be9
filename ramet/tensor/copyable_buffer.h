#pragma once

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/buffer.h"

namespace ramet {

// A CopyableBuffer is a Buffer in device memory that copies itself, so that a borrowed one can be
// kept (Tensor::Owned). The host cannot copy it.
class RAMET_EXPORT CopyableBuffer {
 public:
  virtual ~CopyableBuffer() = default;
  // Returns a copy in the same memory that is not borrowed.
  // \error as for Allocator::Allocate.
  virtual StatusOr<BufferPtr> CopyInMemory() = 0;
};

}  // namespace ramet
