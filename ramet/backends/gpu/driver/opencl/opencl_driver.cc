#include "ramet/backends/gpu/driver/opencl/opencl_driver.h"

#include <algorithm>

#include "ramet/backends/gpu/driver/opencl/opencl_objects.h"
#include "ramet/base/log.h"

namespace ramet::gpu::opencl {
namespace {

// Reads a property of a device that is a number.
template <class T>
T NumberOf(const api::Functions& cl, api::Device* device, int property) {
  T value = 0;
  const api::Int result =
      cl.GetDeviceInfo(device, static_cast<api::UInt>(property), sizeof value, &value, nullptr);
  return result == api::k_SUCCESS ? value : T{0};
}

std::string TextOf(const api::Functions& cl, api::Device* device, int property) {
  const auto name = static_cast<api::UInt>(property);
  size_t size = 0;
  if (cl.GetDeviceInfo(device, name, 0, nullptr, &size) != api::k_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (cl.GetDeviceInfo(device, name, size, text.data(), nullptr) != api::k_SUCCESS) return "";
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

DriverDeviceInfo InfoOf(const api::Functions& cl, api::Device* device) {
  DriverDeviceInfo info;
  info.name = TextOf(cl, device, api::k_DEVICE_NAME);
  info.vendor = TextOf(cl, device, api::k_DEVICE_VENDOR);
  info.driver = "OpenCL";
  info.driver_version = StrCat(TextOf(cl, device, api::k_DEVICE_VERSION), " ",
                               TextOf(cl, device, api::k_DRIVER_VERSION));
  info.is_cpu = (NumberOf<api::Bits>(cl, device, api::k_DEVICE_TYPE) & api::k_DEVICE_TYPE_CPU) != 0;
  info.has_double = NumberOf<api::Bits>(cl, device, api::k_DEVICE_DOUBLE_FP_CONFIG) != 0;
  info.memory_bytes = NumberOf<api::ULong>(cl, device, api::k_DEVICE_GLOBAL_MEM_SIZE);
  info.max_allocation_bytes = NumberOf<api::ULong>(cl, device, api::k_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.local_memory_bytes = NumberOf<api::ULong>(cl, device, api::k_DEVICE_LOCAL_MEM_SIZE);
  info.compute_units =
      static_cast<int>(NumberOf<api::UInt>(cl, device, api::k_DEVICE_MAX_COMPUTE_UNITS));
  info.max_group_size =
      static_cast<int>(NumberOf<size_t>(cl, device, api::k_DEVICE_MAX_WORK_GROUP_SIZE));
  return info;
}

bool IsUsable(const api::Functions& cl, api::Device* device) {
  return NumberOf<api::Bool>(cl, device, api::k_DEVICE_AVAILABLE) != 0 &&
         NumberOf<api::Bool>(cl, device, api::k_DEVICE_COMPILER_AVAILABLE) != 0;
}

class OpenClDevice final : public DriverDevice {
 public:
  OpenClDevice(const api::Functions& cl, api::Device* device, api::Context* context)
      : cl_(cl), device_(device), context_(context), info_(InfoOf(cl, device)) {}

  const DriverDeviceInfo& info() const override { return info_; }

  StatusOr<std::unique_ptr<DriverMemory>> Allocate(size_t bytes) override {
    api::Int result = api::k_SUCCESS;
    api::Mem* const mem =
        cl_.CreateBuffer(context_, api::k_MEM_READ_WRITE, bytes, nullptr, &result);
    RAMET_RETURN_IF_ERROR(StatusOfResult(result, StrCat("clCreateBuffer of ", bytes, " bytes")));
    return std::unique_ptr<DriverMemory>(
        std::make_unique<Memory>(Owned<api::Mem>(mem, cl_.ReleaseMemObject)));
  }

  StatusOr<std::unique_ptr<DriverQueue>> MakeQueue() override {
    api::Int result = api::k_SUCCESS;
    api::CommandQueue* const queue = cl_.CreateCommandQueue(context_, device_, 0, &result);
    RAMET_RETURN_IF_ERROR(StatusOfResult(result, "clCreateCommandQueue"));
    return std::unique_ptr<DriverQueue>(
        std::make_unique<Queue>(cl_, Owned<api::CommandQueue>(queue, cl_.ReleaseCommandQueue)));
  }

  StatusOr<std::unique_ptr<DriverModule>> Compile(const std::string& source,
                                                  const std::string& options) override {
    const char* text = source.data();
    const size_t size = source.size();
    api::Int result = api::k_SUCCESS;
    Owned<api::Program> program(cl_.CreateProgramWithSource(context_, 1, &text, &size, &result),
                                cl_.ReleaseProgram);
    RAMET_RETURN_IF_ERROR(StatusOfResult(result, "clCreateProgramWithSource"));
    return Build(std::move(program), options);
  }

  StatusOr<std::unique_ptr<DriverModule>> Load(std::string_view binary,
                                               const std::string& options) override {
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    const size_t size = binary.size();
    api::Int state = api::k_SUCCESS;
    api::Int result = api::k_SUCCESS;
    Owned<api::Program> program(
        cl_.CreateProgramWithBinary(context_, 1, &device_, &size, &data, &state, &result),
        cl_.ReleaseProgram);
    auto made = result == api::k_SUCCESS && state == api::k_SUCCESS
                    ? Build(std::move(program), options)
                    : StatusOfResult(result == api::k_SUCCESS ? state : result,
                                     "clCreateProgramWithBinary");
    if (made.ok()) return made;
    return InvalidArgument("the bytes are not a module for ", info_.name, ": ",
                           made.status().message());
  }

 private:
  StatusOr<std::unique_ptr<DriverModule>> Build(Owned<api::Program> program,
                                                const std::string& options) {
    const api::Int result =
        cl_.BuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    if (result != api::k_SUCCESS) {
      return Internal(StatusOfResult(result, "clBuildProgram").message(), " on ", info_.name, ": ",
                      BuildLog(program.get()));
    }
    return std::unique_ptr<DriverModule>(std::make_unique<Module>(cl_, std::move(program)));
  }

  std::string BuildLog(api::Program* program) const {
    size_t size = 0;
    if (cl_.GetProgramBuildInfo(program, device_, api::k_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
            api::k_SUCCESS ||
        size == 0) {
      return "the driver gave no message";
    }
    std::string log(size, '\0');
    cl_.GetProgramBuildInfo(program, device_, api::k_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
  }

  const api::Functions& cl_;
  api::Device* device_;
  api::Context* const context_;  // never released: drivers may have threads that use it at exit
  const DriverDeviceInfo info_;
};

void AddDevices(const api::Functions& cl, api::Platform* platform, api::Bits types,
                std::vector<DriverDevice*>* devices) {
  api::UInt count = 0;
  if (cl.GetDeviceIDs(platform, types, 0, nullptr, &count) != api::k_SUCCESS) return;
  std::vector<api::Device*> found(count);
  if (cl.GetDeviceIDs(platform, types, count, found.data(), nullptr) != api::k_SUCCESS) return;
  for (api::Device* device : found) {
    if (!IsUsable(cl, device)) continue;
    api::Int result = api::k_SUCCESS;
    api::Context* const context = cl.CreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
    if (result == api::k_SUCCESS) {
      devices->push_back(new OpenClDevice(cl, device, context));
    } else {
      LogWarning("the OpenCL device ", TextOf(cl, device, api::k_DEVICE_NAME),
                 " is not used: ", StatusOfResult(result, "clCreateContext").message());
    }
  }
}

}  // namespace

StatusOr<std::vector<DriverDevice*>> OpenDevices(DeviceKind kind) {
  RAMET_ASSIGN_OR_RETURN(const api::Functions* cl, OpenLibrary());
  api::UInt count = 0;
  if (cl->GetPlatformIDs(0, nullptr, &count) != api::k_SUCCESS || count == 0) {
    return NotFound(
        "OpenCL: the ICD loader found no driver in /etc/OpenCL/vendors (or OCL_ICD_VENDORS); "
        "install the OpenCL driver of the device (Debian: nvidia-opencl-icd, mesa-opencl-icd, "
        "intel-opencl-icd; pocl-opencl-icd for processors)");
  }
  std::vector<api::Platform*> platforms(count);
  RAMET_RETURN_IF_ERROR(
      StatusOfResult(cl->GetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs"));
  const api::Bits types = kind == DeviceKind::kCpu
                              ? api::k_DEVICE_TYPE_CPU
                              : api::k_DEVICE_TYPE_GPU | api::k_DEVICE_TYPE_ACCELERATOR;
  std::vector<DriverDevice*> devices;
  for (api::Platform* platform : platforms) AddDevices(*cl, platform, types, &devices);
  if (devices.empty()) {
    return NotFound("OpenCL: the ", count, " installed drivers have no ",
                    kind == DeviceKind::kCpu
                        ? "processor; install pocl-opencl-icd"
                        : "GPU; RAMET_GPU=opencl:cpu uses a processor instead, for tests");
  }
  return devices;
}

}  // namespace ramet::gpu::opencl
