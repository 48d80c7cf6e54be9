#include "ramet/backends/gpu/driver/cuda/cuda_library.h"

#include <memory>

#include "ramet/backends/gpu/driver/shared_library.h"
#include "ramet/base/strings.h"

namespace ramet::gpu::cuda {
namespace {

constexpr std::string_view kDriverPackage =
    "NVIDIA's driver, version 460 or later (Debian: nvidia-driver and libcuda1, in the component "
    "non-free)";

Code CodeOfResult(api::Result result) {
  switch (result) {
    case api::k_CUDA_ERROR_OUT_OF_MEMORY:
    case api::k_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: return Code::kResourceExhausted;
    case api::k_CUDA_ERROR_INVALID_IMAGE:
    case api::k_CUDA_ERROR_NO_BINARY_FOR_GPU:
    case api::k_CUDA_ERROR_INVALID_PTX:
    case api::k_CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case api::k_CUDA_ERROR_INVALID_SOURCE: return Code::kInvalidArgument;
    case api::k_CUDA_ERROR_NOT_FOUND: return Code::kNotFound;
    default: return Code::kInternal;
  }
}

// Reports whether all later calls of the process fail after this error.
bool EndsTheContext(api::Result result) {
  switch (result) {
    case api::k_CUDA_ERROR_DEVICE_UNAVAILABLE:
    case api::k_CUDA_ERROR_ECC_UNCORRECTABLE:
    case api::k_CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case api::k_CUDA_ERROR_ILLEGAL_ADDRESS:
    case api::k_CUDA_ERROR_LAUNCH_TIMEOUT:
    case api::k_CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case api::k_CUDA_ERROR_ASSERT:
    case api::k_CUDA_ERROR_HARDWARE_STACK_ERROR:
    case api::k_CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case api::k_CUDA_ERROR_MISALIGNED_ADDRESS:
    case api::k_CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case api::k_CUDA_ERROR_INVALID_PC:
    case api::k_CUDA_ERROR_LAUNCH_FAILED: return true;
    default: return false;
  }
}

// Returns what to do if the driver cannot start.
std::string_view AdviceFor(api::Result result) {
  switch (result) {
    case api::k_CUDA_ERROR_STUB_LIBRARY:
      return "the library is the toolkit's stub; remove the folder 'stubs' from LD_LIBRARY_PATH";
    case api::k_CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the library and the kernel's module have different versions; reboot, or install the "
             "same version of both";
    case api::k_CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "the compatibility library does not support this GPU; remove it from LD_LIBRARY_PATH "
             "and update the driver";
    case api::k_CUDA_ERROR_SYSTEM_NOT_READY:
      return "a service that the GPU needs is not running; start nvidia-fabricmanager";
    default:
      return "check that nvidia-smi lists the GPU and that the module nvidia_uvm is loaded "
             "(nvidia-modprobe -u)";
  }
}

StatusOr<std::unique_ptr<api::Functions>> LoadFunctions(void* library, const std::string& file) {
  auto functions = std::make_unique<api::Functions>();
#define RAMET_CUDA_LOAD(name, symbol, parameters)                                             \
  if (!LoadFunction(library, #symbol, &functions->name)) {                                    \
    return NotFound("CUDA: ", file, " has no function " #symbol "; Ramet needs CUDA ",        \
                    VersionText(kMinDriverVersion), " or later, so update ", kDriverPackage); \
  }
  RAMET_CUDA_FUNCTIONS(RAMET_CUDA_LOAD)
#undef RAMET_CUDA_LOAD
  functions->has_graphs = true;
#define RAMET_CUDA_LOAD_GRAPHS(name, symbol, parameters) \
  if (!LoadFunction(library, #symbol, &functions->name)) functions->has_graphs = false;
  RAMET_CUDA_GRAPH_FUNCTIONS(RAMET_CUDA_LOAD_GRAPHS)
#undef RAMET_CUDA_LOAD_GRAPHS
#define RAMET_CUDA_LOAD_NEWER(name, symbol, parameters) \
  LoadFunction(library, #symbol, &functions->name);
  RAMET_CUDA_NEWER_FUNCTIONS(RAMET_CUDA_LOAD_NEWER)
  RAMET_CUDA_ORDER_FUNCTIONS(RAMET_CUDA_LOAD_NEWER)
#undef RAMET_CUDA_LOAD_NEWER
  return functions;
}

}  // namespace

std::string VersionText(int version) { return StrCat(version / 1000, ".", version % 1000 / 10); }

Status StatusOfResult(const api::Functions& cuda, api::Result result, std::string_view what) {
  if (result == api::k_CUDA_SUCCESS) return OkStatus();
  const char* name = nullptr;
  const char* text = nullptr;
  cuda.GetErrorName(result, &name);
  cuda.GetErrorString(result, &text);
  return Status(CodeOfResult(result),
                StrCat(what, " failed with ", name != nullptr ? name : "a CUDA error", " (", result,
                       ")", text != nullptr ? ": " : "", text != nullptr ? text : "",
                       EndsTheContext(result)
                           ? "; the process can no longer use the GPU, so restart it; the kernel's "
                             "log (dmesg, 'NVRM: Xid') shows faults of the hardware"
                           : ""));
}

StatusOr<std::unique_ptr<const api::Functions>> OpenLibrary(const std::string& file) {
  auto library = OpenSharedLibrary(file);
  if (!library.ok()) {
    return NotFound("CUDA: ", library.status().message(), "; install ", kDriverPackage,
                    ", or set LD_LIBRARY_PATH to the folder of libcuda.so.1");
  }
  RAMET_ASSIGN_OR_RETURN(auto cuda, LoadFunctions(*library, file));
  cuda->DriverGetVersion(&cuda->version);
  if (cuda->version < kMinDriverVersion) {
    return FailedPrecondition("CUDA: the driver supports CUDA ", VersionText(cuda->version),
                              "; Ramet needs ", VersionText(kMinDriverVersion),
                              " or later, so update ", kDriverPackage);
  }
  return std::unique_ptr<const api::Functions>(std::move(cuda));
}

Status Start(const api::Functions& cuda) {
  const api::Result started = cuda.Init(0);
  if (started == api::k_CUDA_SUCCESS) return OkStatus();
  if (started == api::k_CUDA_ERROR_NO_DEVICE) {
    return NotFound(
        "CUDA: the driver finds no GPU; check that nvidia-smi lists one and that "
        "CUDA_VISIBLE_DEVICES does not hide it");
  }
  return FailedPrecondition("CUDA: ", StatusOfResult(cuda, started, "cuInit").message(), "; ",
                            AdviceFor(started));
}

}  // namespace ramet::gpu::cuda
