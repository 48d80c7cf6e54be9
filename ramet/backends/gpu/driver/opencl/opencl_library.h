#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/backends/gpu/driver/opencl/opencl_api.h"
#include "ramet/base/status.h"

namespace ramet::gpu::opencl {
namespace api {

// Pointers to the functions of the API.
struct Functions {
#define RAMET_OPENCL_POINTER(result, name, parameters) result(*name) parameters = nullptr;
  RAMET_OPENCL_FUNCTIONS(RAMET_OPENCL_POINTER)
#undef RAMET_OPENCL_POINTER
};

}  // namespace api

// Opens the ICD loader, which passes calls on to the drivers of the installed devices. The first
// call opens it; it stays open. Thread-safe.
// \error kNotFound: the loader cannot be opened, or lacks a function of OpenCL 1.2.
StatusOr<const api::Functions*> OpenLibrary();
// OpenLibrary for a file of another name. Does not keep the result.
StatusOr<const api::Functions*> OpenLibraryFile(const std::string& file);

// Returns an error for a result of an OpenCL function; OK for CL_SUCCESS. `what` is the function.
Status StatusOfResult(api::Int result, std::string_view what);

}  // namespace ramet::gpu::opencl
