#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

// Libraries of vendors, which are opened at run time and never closed.
namespace ramet::gpu {

// Opens a shared library by a name that the loader searches for, or by a path.
// \error kNotFound: it cannot be opened; the message is the loader's.
StatusOr<void*> OpenSharedLibrary(const std::string& file);

// Returns the address of a function of a library, or null.
void* FindFunction(void* library, const char* name);
// Returns the path of the library that has a function, or "" if the loader does not know it.
std::string FileOfFunction(const void* function);
// Sets a pointer to a function of a library. Returns false if the library lacks it.
template <class Function>
bool LoadFunction(void* library, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(FindFunction(library, name));
  return *function != nullptr;
}

// Returns where to find a library of the CUDA toolkit, such as "nvrtc", in the order of preference:
// names for the loader with these versions, then files in CUDA_HOME, CUDA_PATH, /usr/local/cuda and
// in the folders of NVIDIA's Python packages, the newest version first in each folder.
std::vector<std::string> CudaLibraryFiles(std::string_view name,
                                          std::span<const std::string_view> versions);

// The places that CudaLibraryFiles lists, for messages.
inline constexpr std::string_view kCudaLibraryPlaces =
    "LD_LIBRARY_PATH and the loader's folders, CUDA_HOME, CUDA_PATH, /usr/local/cuda, and the "
    "folders nvidia/*/lib of Python's packages";

}  // namespace ramet::gpu
