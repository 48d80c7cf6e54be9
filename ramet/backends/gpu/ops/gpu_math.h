#pragma once

#include <memory>

#include "ramet/op/tensor_math.h"

namespace ramet::gpu {

class GpuDevice;

// Returns the functions of a GPU, which must outlive them.
std::unique_ptr<DeviceMath> MakeGpuMath(GpuDevice& device);

}  // namespace ramet::gpu
