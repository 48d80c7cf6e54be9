#include "ramet/backends/gpu/driver/cuda/nvrtc.h"

#include <algorithm>
#include <memory>

#include "ramet/backends/gpu/driver/cuda/cuda_library.h"
#include "ramet/backends/gpu/driver/shared_library.h"
#include "ramet/base/strings.h"

namespace ramet::gpu::cuda {
namespace {

constexpr api::Result kNvrtcSuccess = 0;

}  // namespace

std::vector<std::string> Nvrtc::DefaultFiles() {
  constexpr std::string_view kVersions[] = {"13", "12", "11.2", ""};
  return CudaLibraryFiles("nvrtc", kVersions);
}

StatusOr<std::unique_ptr<const Nvrtc>> Nvrtc::Open(const std::vector<std::string>& files,
                                                   int driver_version, int min_arch) {
  std::string reasons;
  for (const std::string& file : files) {
    auto opened = OpenFile(file, driver_version, min_arch);
    if (opened.ok()) return opened;
    reasons += StrCat(reasons.empty() ? "" : "; ", opened.status().message());
  }
  return NotFound("CUDA: NVRTC, the compiler of kernels, cannot be used. Searched ",
                  kCudaLibraryPlaces, ": ", reasons, ". Install it for CUDA ",
                  driver_version / 1000,
                  " (pip: nvidia-cuda-nvrtc-cu12 or nvidia-cuda-nvrtc; "
                  "Debian: libnvrtc11.2; or NVIDIA's toolkit), or use RAMET_GPU=opencl");
}

StatusOr<std::unique_ptr<const Nvrtc>> Nvrtc::OpenFile(const std::string& file, int driver_version,
                                                       int min_arch) {
  RAMET_ASSIGN_OR_RETURN(void* const library, OpenSharedLibrary(file));
  auto nvrtc = std::make_unique<Nvrtc>();
  api::CompilerFunctions& f = nvrtc->functions_;
#define RAMET_NVRTC_LOAD(name, symbol, parameters) \
  if (!LoadFunction(library, #symbol, &f.name))    \
    return NotFound(file,                          \
                    " has no "                     \
                    "function " #symbol);
  RAMET_NVRTC_FUNCTIONS(RAMET_NVRTC_LOAD)
#undef RAMET_NVRTC_LOAD
  int major = 0, minor = 0, count = 0;
  f.Version(&major, &minor);
  nvrtc->version_ = major * 1000 + minor * 10;
  if (major > driver_version / 1000) {
    return NotFound(file, " is of CUDA ", VersionText(nvrtc->version_),
                    ", but the driver supports CUDA ", VersionText(driver_version));
  }
  f.GetNumSupportedArchs(&count);
  nvrtc->architectures_.resize(std::max(count, 0));
  f.GetSupportedArchs(nvrtc->architectures_.data());
  if (count < 1 || nvrtc->architectures_.front() > min_arch) {
    return NotFound(file, " (CUDA ", VersionText(nvrtc->version_), ") does not support sm_",
                    min_arch);
  }
  return std::unique_ptr<const Nvrtc>(std::move(nvrtc));
}

StatusOr<std::string> Nvrtc::Compile(const std::string& source, const std::string& options,
                                     int arch) const {
  const bool known = std::ranges::find(architectures_, arch) != architectures_.end();
  const auto newest = std::ranges::upper_bound(architectures_, arch);
  std::vector<std::string> arguments = {
      known || newest == architectures_.begin()
          ? StrCat("--gpu-architecture=sm_", arch)
          : StrCat("--gpu-architecture=compute_", *std::prev(newest))};
  for (std::string_view option : StrSplit(options, ' ')) {
    if (!option.empty()) arguments.emplace_back(option);
  }
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  api::Program* made = nullptr;
  const api::Result created =
      functions_.CreateProgram(&made, source.c_str(), "ramet.cu", 0, nullptr, nullptr);
  if (created != kNvrtcSuccess) return Internal("nvrtcCreateProgram failed with ", created);
  const auto destroy = [this](api::Program* p) { functions_.DestroyProgram(&p); };
  const std::unique_ptr<api::Program, decltype(destroy)> program(made, destroy);
  const api::Result compiled =
      functions_.CompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());
  if (compiled != kNvrtcSuccess) {
    return Internal("NVRTC ", VersionText(version_), " (error ", compiled, ", ", arguments[0],
                    "): ", LogOf(program.get()));
  }
  const auto size_of = known ? functions_.GetCUBINSize : functions_.GetPTXSize;
  const auto bytes_of = known ? functions_.GetCUBIN : functions_.GetPTX;
  size_t size = 0;
  size_of(program.get(), &size);
  std::string image(size, '\0');
  if (size == 0 || bytes_of(program.get(), image.data()) != kNvrtcSuccess) {
    return Internal("NVRTC ", VersionText(version_), " made no code for sm_", arch);
  }
  return image;
}

std::string Nvrtc::LogOf(api::Program* program) const {
  size_t size = 0;
  functions_.GetProgramLogSize(program, &size);
  std::string log(size, '\0');
  functions_.GetProgramLog(program, log.data());
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

}  // namespace ramet::gpu::cuda
