#pragma once

#include "ramet/base/status.h"
#include "ramet/format/bundle_data.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

enum class Verify {
  // All bytes of the stored tensor are read and the checksum is verified.
  kChecksum,
  // The bytes of the box alone are read (and those between its rows where they lie close). No
  // checksum covers a part of a tensor.
  kNothing,
};

// Reads the box `box` of the tensor or stored slice that `entry` describes. The box is explicit and
// in the entry's shape. Takes memory for the box and 256 KiB; a string tensor is read whole. Needs
// CheckTensorData().ok(). \error as ReadTensorData.
StatusOr<Tensor> ReadTensorBox(const TensorDataSource& source, const BundleEntry& entry,
                               const TensorSlice& box, Verify verify, Allocator* allocator);

}  // namespace ramet
