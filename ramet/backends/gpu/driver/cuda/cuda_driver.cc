#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "ramet/backends/gpu/driver/cuda/cuda_objects.h"
#include "ramet/backends/gpu/driver/cuda/cuda_shared_memory.h"
#include "ramet/backends/gpu/driver/cuda/nvrtc.h"
#include "ramet/backends/gpu/driver/shared_library.h"
#include "ramet/base/log.h"

namespace ramet::gpu::cuda {
namespace {

int AttributeOf(const api::Functions& cuda, api::Device device, int attribute) {
  int value = 0;
  return cuda.DeviceGetAttribute(&value, attribute, device) == api::k_CUDA_SUCCESS ? value : 0;
}

// Returns 90 for compute capability 9.0.
int ArchitectureOf(const api::Functions& cuda, api::Device device) {
  return AttributeOf(cuda, device, api::k_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
         AttributeOf(cuda, device, api::k_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

DriverDeviceInfo InfoOf(const api::Functions& cuda, const Nvrtc& nvrtc, api::Device device) {
  DriverDeviceInfo info;
  char name[256] = {};
  if (cuda.DeviceGetName(name, sizeof name - 1, device) == api::k_CUDA_SUCCESS) info.name = name;
  info.vendor = "NVIDIA Corporation";
  info.driver = "CUDA";
  info.driver_version = StrCat(VersionText(cuda.version), " NVRTC ", VersionText(nvrtc.version()),
                               " sm_", ArchitectureOf(cuda, device));
  info.language = Language::kCudaCpp;
  info.has_double = true;
  info.honors_visible_devices = true;
  size_t memory = 0;
  if (cuda.DeviceTotalMem(&memory, device) != api::k_CUDA_SUCCESS) memory = 0;
  info.memory_bytes = info.max_allocation_bytes = memory;
  const auto attribute = [&](int which) { return AttributeOf(cuda, device, which); };
  info.local_memory_bytes =
      static_cast<uint64_t>(attribute(api::k_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  info.compute_units = attribute(api::k_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.max_group_size = attribute(api::k_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return info;
}

class CudaDevice final : public DriverDevice {
 public:
  CudaDevice(const api::Functions& cuda, const Nvrtc& nvrtc, api::Device device)
      : cuda_(cuda),
        nvrtc_(nvrtc),
        device_(device),
        context_(cuda, device),
        architecture_(ArchitectureOf(cuda, device)),
        info_(InfoOf(cuda, nvrtc, device)) {}

  const DriverDeviceInfo& info() const override { return info_; }

  StatusOr<std::unique_ptr<DriverMemory>> Allocate(size_t bytes) override {
    RAMET_RETURN_IF_ERROR(context_.Make());
    const Scope scope(context_);
    api::DevicePointer address = 0;
    const api::Result result = cuda_.MemAlloc(&address, bytes);
    if (result != api::k_CUDA_SUCCESS) {
      return StatusOfResult(cuda_, result, StrCat("cuMemAlloc of ", bytes, " bytes"));
    }
    return std::unique_ptr<DriverMemory>(std::make_unique<OwnedMemory>(context_, address));
  }

  StatusOr<std::unique_ptr<DriverQueue>> MakeQueue() override {
    RAMET_RETURN_IF_ERROR(context_.Make());
    RAMET_ASSIGN_OR_RETURN(auto queue, MakeStreamQueue(context_));
    return std::unique_ptr<DriverQueue>(std::move(queue));
  }

  StatusOr<std::unique_ptr<DriverModule>> Compile(const std::string& source,
                                                  const std::string& options) override {
    auto image = nvrtc_.Compile(source, options, architecture_);
    if (!image.ok()) return image.status().WithSuffix(StrCat(" (for ", info_.name, ")"));
    return LoadImage(*std::move(image));
  }

  StatusOr<std::unique_ptr<DriverModule>> Load(std::string_view binary,
                                               const std::string& /*options*/) override {
    auto module = LoadImage(std::string(binary));
    if (module.ok() || !IsInvalidArgument(module.status())) return module;
    return InvalidArgument("the bytes are not a module for ", info_.name, ": ",
                           module.status().message());
  }

  StatusOr<std::unique_ptr<HostRegistration>> RegisterHostMemory(std::span<const std::byte> memory,
                                                                 HostAccess access) override {
    RAMET_RETURN_IF_ERROR(context_.Make());
    const Scope scope(context_);
    auto flags = unsigned{api::k_CU_MEMHOSTREGISTER_PORTABLE};
    if (access == HostAccess::kReadOnly) {
      const int attribute = api::k_CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED;
      if (AttributeOf(cuda_, device_, attribute) == 0) {
        return Unimplemented(info_.name, " cannot copy directly from read-only memory");
      }
      flags |= unsigned{api::k_CU_MEMHOSTREGISTER_READ_ONLY};
    }
    void* const begin = const_cast<std::byte*>(memory.data());
    const api::Result result = cuda_.MemHostRegister(begin, memory.size(), flags);
    if (result == api::k_CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) {
      return std::unique_ptr<HostRegistration>();
    }
    RAMET_RETURN_IF_ERROR(
        StatusOfResult(cuda_, result, StrCat("cuMemHostRegister of ", memory.size(), " bytes")));
    return std::unique_ptr<HostRegistration>(std::make_unique<RegisteredMemory>(context_, begin));
  }

  std::string SharingKey() const override { return SharedMemory::KeyOf(cuda_, device_); }
  StatusOr<std::unique_ptr<DriverSharedMemory>> AllocateShared(size_t bytes) override {
    RAMET_RETURN_IF_ERROR(context_.Make());
    return SharedMemory::Allocate(context_, device_, bytes);
  }
  StatusOr<std::unique_ptr<DriverSharedMemory>> OpenShared(int fd, size_t bytes) override {
    RAMET_RETURN_IF_ERROR(context_.Make());
    return SharedMemory::Open(context_, device_, fd, bytes);
  }

 private:
  // `image` is machine code or PTX, which ends with a NUL.
  StatusOr<std::unique_ptr<DriverModule>> LoadImage(std::string image) {
    RAMET_RETURN_IF_ERROR(context_.Make());
    const Scope scope(context_);
    api::Module* module = nullptr;
    RAMET_RETURN_IF_ERROR(
        StatusOfResult(cuda_, cuda_.ModuleLoadData(&module, image.c_str()), "cuModuleLoadData"));
    return std::unique_ptr<DriverModule>(
        std::make_unique<Module>(context_, module, std::move(image)));
  }

  const api::Functions& cuda_;
  const Nvrtc& nvrtc_;
  const api::Device device_;
  Context context_;
  const int architecture_;
  const DriverDeviceInfo info_;
};

// Returns the devices that can be used.
StatusOr<std::vector<api::Device>> ListDevices(const api::Functions& cuda) {
  int count = 0;
  RAMET_RETURN_IF_ERROR(StatusOfResult(cuda, cuda.DeviceGetCount(&count), "cuDeviceGetCount"));
  std::vector<api::Device> devices;
  for (int i = 0; i < count; ++i) {
    api::Device device = 0;
    if (cuda.DeviceGet(&device, i) != api::k_CUDA_SUCCESS) continue;
    if (AttributeOf(cuda, device, api::k_CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) ==
        api::k_CU_COMPUTEMODE_PROHIBITED) {
      LogWarning("CUDA device ", i,
                 " is not used: its compute mode is 'prohibited'; nvidia-smi "
                 "-c 0 changes it");
      continue;
    }
    devices.push_back(device);
  }
  return devices;
}

// A driver with what it needs. Its devices live as long as the process.
struct Driver {
  std::unique_ptr<const api::Functions> cuda;
  std::unique_ptr<const Nvrtc> nvrtc;
  std::vector<std::unique_ptr<CudaDevice>> devices;

  // Keeps a pointer to this object, so that tools do not report it as lost.
  void KeepForever() {
    static auto* const mutex = new Mutex;
    static auto* const kept = new std::vector<Driver*>;
    MutexLock lock(*mutex);
    kept->push_back(this);
  }
};

}  // namespace

Libraries Libraries::Default() {
  const char* const both = std::getenv("RAMET_CUDA_LIBRARY");
  if (both != nullptr && *both != '\0') return {both, {both}, {both}, {both}};
  constexpr std::string_view kVersions[] = {"13", "12", "11", ""};
  constexpr std::string_view kCudnnVersions[] = {"9", "8", ""};
  return {"libcuda.so.1", Nvrtc::DefaultFiles(), CudaLibraryFiles("cublasLt", kVersions),
          CudaLibraryFiles("cudnn", kCudnnVersions)};
}

StatusOr<std::vector<DriverDevice*>> OpenDevices(const Libraries& libraries) {
  const bool is_limited = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
  auto driver = std::make_unique<Driver>();
  RAMET_ASSIGN_OR_RETURN(driver->cuda, OpenLibrary(libraries.driver));
  const api::Functions& cuda = *driver->cuda;
  const Status started = Start(cuda);
  if (IsNotFound(started) && is_limited) return std::vector<DriverDevice*>();
  RAMET_RETURN_IF_ERROR(started);
  RAMET_ASSIGN_OR_RETURN(const std::vector<api::Device> found, ListDevices(cuda));
  if (found.empty() && is_limited) return std::vector<DriverDevice*>();
  if (found.empty()) return NotFound("CUDA: the driver finds no GPU that can be used");
  int min_arch = ArchitectureOf(cuda, found.front());
  for (api::Device device : found) min_arch = std::min(min_arch, ArchitectureOf(cuda, device));
  RAMET_ASSIGN_OR_RETURN(driver->nvrtc, Nvrtc::Open(libraries.compilers, cuda.version, min_arch));
  std::vector<DriverDevice*> devices;
  for (api::Device device : found) {
    driver->devices.push_back(std::make_unique<CudaDevice>(cuda, *driver->nvrtc, device));
    devices.push_back(driver->devices.back().get());
  }
  driver.release()->KeepForever();
  return devices;
}

}  // namespace ramet::gpu::cuda
