#include "ramet/backends/gpu/driver/shared_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "ramet/base/folder.h"
#include "ramet/base/strings.h"

namespace ramet::gpu {
namespace {

// Returns the folder of the file that this function is in: libramet.so, or the Python module.
std::string FolderOfThisLibrary() {
  const std::string path = FileOfFunction(reinterpret_cast<void*>(&OpenSharedLibrary));
  const size_t end = path.rfind('/');
  return end == std::string::npos ? "." : path.substr(0, end);
}

// Returns patterns of folders that may hold the toolkit's libraries.
std::vector<std::string> CudaFolders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const root = std::getenv(variable);
    if (root != nullptr && *root != '\0') folders.push_back(StrCat(root, "/lib64"));
  }
  folders.push_back("/usr/local/cuda/lib64");
  folders.push_back(StrCat(FolderOfThisLibrary(), "/../nvidia/*/lib"));
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* const root = std::getenv(variable);
    if (root == nullptr || *root == '\0') continue;
    folders.push_back(StrCat(root, "/lib/python3*/site-packages/nvidia/*/lib"));
    folders.push_back(StrCat(root, "/lib"));
  }
  return folders;
}

}  // namespace

StatusOr<void*> OpenSharedLibrary(const std::string& file) {
  if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const why = dlerror();
  return NotFound("cannot open ", file, ": ", why != nullptr ? why : "unknown error");
}

void* FindFunction(void* library, const char* name) { return dlsym(library, name); }

std::string FileOfFunction(const void* function) {
  Dl_info info;
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::vector<std::string> CudaLibraryFiles(std::string_view name,
                                          std::span<const std::string_view> versions) {
  std::vector<std::string> files;
  for (std::string_view version : versions) {
    files.push_back(StrCat("lib", name, ".so", version.empty() ? "" : ".", version));
  }
  for (const std::string& folder : CudaFolders()) {
    auto found = Glob(StrCat(folder, "/lib", name, ".so.*"));
    if (!found.ok()) continue;
    std::ranges::reverse(*found);  // 13 comes before 12
    files.insert(files.end(), found->begin(), found->end());
  }
  return files;
}

}  // namespace ramet::gpu
