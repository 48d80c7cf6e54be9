#pragma once

#include <array>
#include <optional>
#include <vector>

#include "ramet/backends/gpu/library/convolution_library.h"
#include "ramet/backends/gpu/library/cudnn_descriptor.h"

// The algorithms that cuDNN has for a convolution.
namespace ramet::gpu::cudnn {

// An algorithm that is ready to run.
struct Algorithm {
  int64_t engine;  // cuDNN's number; engines are groups of similar kernels
  Descriptor plan;
  size_t workspace_bytes;
};

// The limits of the algorithms that may be used.
struct AlgorithmLimits {
  bool allows_tf32 = false;
  size_t max_workspace_bytes = 0;
};

// The numbers of the operands of all algorithms: input, filter and output, or their gradients.
inline constexpr std::array<int64_t, 3> kOperandIds = {1, 2, 3};

// Returns algorithms for a convolution, one for each of the first engines that cuDNN advises, in
// its order. Sums are in the precision of the dtype, at least in float32.
// \error kInternal: cuDNN does not support the convolution.
StatusOr<std::vector<Algorithm>> AlgorithmsFor(const api::Functions& cudnn, api::Handle* handle,
                                               const LibraryConvolution& c,
                                               const AlgorithmLimits& limits);

}  // namespace ramet::gpu::cudnn
