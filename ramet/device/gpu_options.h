#pragma once

#include <string>

namespace ramet {

// The GPUOptions of tf.ConfigProto that count. They configure the GPUs of the process, so that
// those of the first session with a GPU hold for all later ones.
struct GpuOptions {
  // The part of a GPU's memory that the process may use. 0 means all of it. Memory is allocated
  // when it is needed.
  double per_process_gpu_memory_fraction = 0;
  // Has no effect: memory always grows with the need for it.
  bool allow_growth = false;
  // The positions of the GPUs that become /device:GPU:0, /device:GPU:1, ..., such as "1,0", among
  // those that CUDA_VISIBLE_DEVICES leaves. "" means all of them.
  std::string visible_device_list = {};

  bool operator==(const GpuOptions&) const = default;
};

}  // namespace ramet
