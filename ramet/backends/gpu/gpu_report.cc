#include "ramet/backends/gpu/gpu_report.h"

#include <cstdlib>

#include "ramet/backends/gpu/chosen_devices.h"
#include "ramet/backends/gpu/codegen/compile_cache.h"
#include "ramet/backends/gpu/library/library_report.h"
#include "ramet/base/strings.h"

namespace ramet {
namespace {

using gpu::DriverChoice;

// Returns why no device is left, although there was no error.
std::string WhyNone(DriverChoice choice) {
  if (choice == DriverChoice::kOff) return "RAMET_GPU=off turns GPUs off; unset it";
  if (choice == DriverChoice::kAutomatic) {
    if (!gpu::HasGpuDeviceFile()) {
      return "the machine has no GPU: /dev/nvidiactl, /dev/kfd, /dev/dxg and /dev/dri/renderD* do "
             "not exist. RAMET_GPU=opencl:cpu tries GPU code on a processor (Debian: "
             "pocl-opencl-icd)";
    }
    std::vector<std::string> reasons;
    for (const DriverChoice driver : {DriverChoice::kCuda, DriverChoice::kOpenCl}) {
      const auto opened = gpu::OpenDriver(driver);
      if (!opened.ok()) reasons.emplace_back(opened.status().message());
    }
    if (reasons.size() == 2) return StrJoin(reasons, "\n");
  }
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return StrCat("CUDA_VISIBLE_DEVICES='", visible ? visible : "", "' hides all GPUs; unset it");
}

std::vector<GpuLibrary> LibrariesOf(const gpu::DriverDevice& device) {
  std::vector<GpuLibrary> libraries;
  for (const gpu::LibraryReport& l : gpu::ReportLibraries(device)) {
    libraries.push_back({l.use, l.name, l.file, l.version, l.missing});
  }
  return libraries;
}

GpuDescription Describe(size_t index, const gpu::DriverDevice& device) {
  const gpu::DriverDeviceInfo& info = device.info();
  return {.device = StrCat("/device:GPU:", index),
          .name = info.name,
          .vendor = info.vendor,
          .driver = info.driver,
          .driver_version = info.driver_version,
          .memory_bytes = info.memory_bytes,
          .compute_units = info.compute_units,
          .is_cpu = info.is_cpu,
          .has_double = info.has_double,
          .libraries = LibrariesOf(device)};
}

}  // namespace

StatusOr<GpuReport> ReportGpus() {
  RAMET_ASSIGN_OR_RETURN(const DriverChoice choice, gpu::ChosenDriver());
  RAMET_ASSIGN_OR_RETURN(const auto devices, gpu::ChosenDevices({}));
  GpuReport report;
  for (const gpu::DriverDevice* device : devices) {
    report.gpus.push_back(Describe(report.gpus.size(), *device));
  }
  if (devices.empty()) report.missing = WhyNone(choice);
  return report;
}

StatusOr<GpuCacheReport> ReportGpuCache() {
  const std::string folder = gpu::CompileCache::DefaultFolder();
  RAMET_ASSIGN_OR_RETURN(const auto usage, gpu::CompileCache::UsageOf(folder));
  return GpuCacheReport{folder, usage.entries, usage.bytes, gpu::CompileCache::kMaxFolderBytes};
}

StatusOr<GpuCacheReport> ClearGpuCache() {
  const std::string folder = gpu::CompileCache::DefaultFolder();
  RAMET_ASSIGN_OR_RETURN(const auto removed, gpu::CompileCache::Clear(folder));
  return GpuCacheReport{folder, removed.entries, removed.bytes, gpu::CompileCache::kMaxFolderBytes};
}

}  // namespace ramet
