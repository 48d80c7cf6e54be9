#include "ramet/backends/gpu/library/library_report.h"

#include <optional>
#include <span>

#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"
#include "ramet/backends/gpu/driver/shared_library.h"

namespace ramet::gpu {
namespace {

std::string Dotted(size_t major, size_t minor, size_t patch) {
  return StrCat(major, ".", minor, ".", patch);
}

// 11401 is 11.4.1, and 130400 is 13.4.0.
std::string CublasVersion(size_t v) {
  return v < 100000 ? Dotted(v / 1000, v / 100 % 10, v % 100)
                    : Dotted(v / 10000, v / 100 % 100, v % 100);
}
// 8902 is 8.9.2, and 91900 is 9.19.0.
std::string CudnnVersion(size_t v) {
  return v < 10000 ? Dotted(v / 1000, v / 100 % 10, v % 100)
                   : Dotted(v / 10000, v / 100 % 100, v % 100);
}

// Opens the first of `files` that has a function, which returns the version, and sets `file` and
// `version` of the report.
void FindVersion(std::span<const std::string> files, const char* function,
                 std::string (*text)(size_t), LibraryReport* report) {
  for (const std::string& file : files) {
    size_t (*version)() = nullptr;
    const auto library = OpenSharedLibrary(file);
    if (!library.ok() || !LoadFunction(*library, function, &version)) continue;
    report->file = FileOfFunction(reinterpret_cast<void*>(version));
    report->version = text(version());
    return;
  }
}

LibraryReport ReportClblast() {
  LibraryReport report = {.use = "matrix products", .name = "CLBlast"};
  void* function = nullptr;
  const auto library = OpenSharedLibrary("libclblast.so.1");
  if (library.ok()) function = FindFunction(*library, "CLBlastSgemm");
  if (function != nullptr) {
    report.file = FileOfFunction(function);
  } else {
    report.missing =
        "searched for libclblast.so.1 in LD_LIBRARY_PATH and the loader's folders; "
        "Debian: libclblast1";
  }
  return report;
}

std::vector<LibraryReport> ReportCudaLibraries() {
  const cuda::Libraries libraries = cuda::Libraries::Default();
  LibraryReport products = {.use = "matrix products", .name = "cuBLASLt"};
  LibraryReport convolutions = {.use = "convolutions", .name = "cuDNN"};
  FindVersion(libraries.products, "cublasLtGetVersion", CublasVersion, &products);
  FindVersion(libraries.convolutions, "cudnnGetVersion", CudnnVersion, &convolutions);
  if (products.file.empty()) {
    products.missing = StrCat("searched for libcublasLt.so in ", kCudaLibraryPlaces,
                              "; pip install nvidia-cublas (for CUDA 12: nvidia-cublas-cu12)");
  }
  if (convolutions.file.empty()) {
    convolutions.missing =
        StrCat("searched for libcudnn.so.9 in ", kCudaLibraryPlaces,
               "; pip install nvidia-cudnn-cu13 (for CUDA 12: nvidia-cudnn-cu12)");
  }
  return {products, convolutions};
}

}  // namespace

std::vector<LibraryReport> ReportLibraries(const DriverDevice& device) {
  if (device.info().language == Language::kCudaCpp) return ReportCudaLibraries();
  if (device.info().is_cpu) return {};
  return {ReportClblast()};
}

}  // namespace ramet::gpu
