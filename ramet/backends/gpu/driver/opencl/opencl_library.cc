#include "ramet/backends/gpu/driver/opencl/opencl_library.h"

#include "ramet/backends/gpu/driver/shared_library.h"

namespace ramet::gpu::opencl {
namespace {

constexpr const char* kLoader = "libOpenCL.so.1";

// Negative results that users meet. Source: section 5 of the OpenCL 1.2 specification.
std::string_view ResultName(api::Int result) {
  switch (result) {
    case api::k_DEVICE_NOT_FOUND: return "CL_DEVICE_NOT_FOUND";
    case api::k_COMPILER_NOT_AVAILABLE: return "CL_COMPILER_NOT_AVAILABLE";
    case api::k_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case api::k_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case api::k_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case api::k_BUILD_PROGRAM_FAILURE: return "CL_BUILD_PROGRAM_FAILURE";
    case api::k_INVALID_VALUE: return "CL_INVALID_VALUE";
    case api::k_INVALID_BINARY: return "CL_INVALID_BINARY";
    case api::k_INVALID_KERNEL_NAME: return "CL_INVALID_KERNEL_NAME";
    case api::k_INVALID_BUFFER_SIZE: return "CL_INVALID_BUFFER_SIZE";
    default: return "an OpenCL error";
  }
}

Code CodeOfResult(api::Int result) {
  switch (result) {
    case api::k_MEM_OBJECT_ALLOCATION_FAILURE:
    case api::k_OUT_OF_RESOURCES:
    case api::k_OUT_OF_HOST_MEMORY:
    case api::k_INVALID_BUFFER_SIZE: return Code::kResourceExhausted;
    case api::k_INVALID_BINARY: return Code::kInvalidArgument;
    case api::k_INVALID_KERNEL_NAME: return Code::kNotFound;
    default: return Code::kInternal;
  }
}

}  // namespace

Status StatusOfResult(api::Int result, std::string_view what) {
  if (result == api::k_SUCCESS) return OkStatus();
  return Status(CodeOfResult(result),
                StrCat(what, " failed with ", ResultName(result), " (", result, ")"));
}

StatusOr<const api::Functions*> OpenLibraryFile(const std::string& file) {
  const auto library = OpenSharedLibrary(file);
  if (!library.ok()) {
    return NotFound("OpenCL: ", library.status().message(),
                    "; install the ICD loader (Debian: ocl-icd-libopencl1) and the OpenCL driver "
                    "of the device, or set LD_LIBRARY_PATH to the folder of ",
                    kLoader);
  }
  auto functions = std::make_unique<api::Functions>();
#define RAMET_OPENCL_LOAD(result, name, parameters)                                              \
  if (!LoadFunction(*library, "cl" #name, &functions->name)) {                                   \
    return NotFound("OpenCL: ", file,                                                            \
                    " has no function cl" #name                                                  \
                    "; Ramet needs OpenCL 1.2 or later, so install a newer ICD loader (Debian: " \
                    "ocl-icd-libopencl1)");                                                      \
  }
  RAMET_OPENCL_FUNCTIONS(RAMET_OPENCL_LOAD)
#undef RAMET_OPENCL_LOAD
  return functions.release();
}

StatusOr<const api::Functions*> OpenLibrary() {
  static const auto* const opened = new StatusOr<const api::Functions*>(OpenLibraryFile(kLoader));
  return *opened;
}

}  // namespace ramet::gpu::opencl
