#pragma once

#include "ramet/base/status.h"
#include "ramet/format/bundle_data.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

enum class Verify {
  // Reads all bytes of the stored tensor and verifies its checksum.
  kChecksum,
  // Reads only the bytes of the box, and those between its rows if they are close together. No
  // checksum covers a part of a tensor.
  kNothing,
};

// Reads the box `box` of the tensor or stored slice that `entry` describes. The box must be
// explicit and in the entry's shape. Allocates the box and 256 KiB; a string tensor is read whole.
// Requires CheckTensorData().ok().
// \error as ReadTensorData.
StatusOr<Tensor> ReadTensorBox(const TensorDataSource& source, const BundleEntry& entry,
                               const TensorSlice& box, Verify verify, Allocator* allocator);

}  // namespace ramet
