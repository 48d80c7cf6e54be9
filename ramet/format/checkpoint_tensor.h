#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

namespace ramet {

// A tensor of a checkpoint: one item per full tensor, whether it is stored whole or in slices.
struct CheckpointTensor {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  // Bytes in the data files of a V2 checkpoint; 0 of a tensor that is stored in slices, and in V1
  // files.
  int64_t stored_bytes = 0;
  // The boxes in which it is stored, as the writer gave them; empty when it is stored whole.
  std::vector<TensorSlice> slices;
};

}  // namespace ramet
