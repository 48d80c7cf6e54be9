#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

namespace ramet {

// A tensor of a checkpoint, stored whole or in slices.
struct CheckpointTensor {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  // Bytes in the data files of a V2 checkpoint; 0 for a tensor stored in slices and in V1 files.
  int64_t stored_bytes = 0;
  // The boxes in which it is stored, as the writer specified them; empty if it is stored whole.
  std::vector<TensorSlice> slices;
};

}  // namespace ramet
