#include "gpu.h"

#include <algorithm>
#include <cctype>

namespace rm = ramet;

namespace example {

bool IsGpu(const std::string& device) {
  std::string upper = device;
  std::ranges::transform(device, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper.find("GPU:") != std::string::npos;
}

rm::Status CheckGpu(const rm::Session& session, const std::string& device) {
  if (!IsGpu(device)) return rm::OkStatus();
  for (const std::string& name : session.ListDevices()) {
    if (IsGpu(name)) return rm::OkStatus();
  }
  return rm::NotFound(
      "device ", device,
      ": no GPU was found. Install the OpenCL driver of your GPU (docs/gpu.md). To try it without "
      "a GPU, install pocl-opencl-icd, which runs OpenCL on the processor, and run: "
      "RAMET_GPU=opencl:cpu make run ARGS='--trainer /gpu:0 --followers /cpu:0'");
}

}  // namespace example
