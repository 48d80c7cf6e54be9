#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/testing/program_variants.h"
#include "ramet/base/strings.h"

// Compiles all kernels for NVIDIA's GPUs, if the CUDA toolkit is installed.

namespace ramet::gpu {
namespace {

// The functions of NVRTC that the test needs, as nvrtc.h declares them. 0 is success.
class Nvrtc {
 public:
  // Returns null if the library is not installed.
  static const Nvrtc* Get() {
    static const Nvrtc* const nvrtc = Open();
    return nvrtc;
  }

  // Returns the architectures to compile for: those of the list, from the oldest that this NVRTC
  // supports.
  std::vector<int> Architectures() const {
    int count = 0;
    num_archs_(&count);
    std::vector<int> supported(count);
    archs_(supported.data());
    std::vector<int> chosen;
    for (int arch : {70, 80, 90, 100}) {
      const int used = std::max(arch, supported.front());
      if (std::ranges::count(supported, used) > 0) chosen.push_back(used);
    }
    return chosen;
  }

  // Returns the compiler's messages, or "" if it made machine code.
  std::string Compile(const std::string& source, int arch) const {
    void* program = nullptr;
    create_(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr);
    const std::string option = StrCat("--gpu-architecture=sm_", arch);
    const char* const options[] = {option.c_str(), "-fmad=false", "-default-device"};
    const bool compiled = compile_(program, 3, options) == 0;
    size_t size = 0;
    log_size_(program, &size);
    std::string log(size, '\0');
    log_(program, log.data());
    size_t cubin = 0;
    cubin_size_(program, &cubin);
    destroy_(&program);
    if (!compiled) return log;
    return cubin == 0 ? "no machine code" : "";
  }

 private:
  static const Nvrtc* Open() {
    for (const char* name :
         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      if (void* library = dlopen(name, RTLD_NOW)) return new Nvrtc(library);
    }
    return nullptr;
  }
  explicit Nvrtc(void* library) {
    Find(library, "nvrtcCreateProgram", create_);
    Find(library, "nvrtcCompileProgram", compile_);
    Find(library, "nvrtcDestroyProgram", destroy_);
    Find(library, "nvrtcGetProgramLogSize", log_size_);
    Find(library, "nvrtcGetProgramLog", log_);
    Find(library, "nvrtcGetCUBINSize", cubin_size_);
    Find(library, "nvrtcGetNumSupportedArchs", num_archs_);
    Find(library, "nvrtcGetSupportedArchs", archs_);
  }
  template <class F>
  static void Find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr) std::abort();
  }

  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile_)(void*, int, const char* const*);
  int (*destroy_)(void**);
  int (*log_size_)(void*, size_t*);
  int (*log_)(void*, char*);
  int (*cubin_size_)(void*, size_t*);
  int (*num_archs_)(int*);
  int (*archs_)(int*);
};

std::string SourceOf(const ProgramVariant& variant, bool has_large_indices) {
  std::string source = DialectPrelude(Language::kCudaCpp, true, has_large_indices);
  for (const auto& [name, value] : variant.definitions) {
    source += StrCat("#define ", name, " ", value, "\n");
  }
  return StrCat(source, variant.program->source);
}

std::string TextOf(const ProgramVariant& variant) {
  std::string text(variant.program->name);
  for (const auto& [name, value] : variant.definitions) text += StrCat(" ", name, "=", value);
  return text;
}

// Returns the architectures that RAMET_NVRTC asks for: "all", or "newest", which takes less time.
std::vector<int> ArchitecturesToTest(const Nvrtc& nvrtc) {
  std::vector<int> all = nvrtc.Architectures();
  if (std::string_view(std::getenv("RAMET_NVRTC")) == "all" || all.empty()) return all;
  return {all.back()};
}

TEST(NvrtcTest, CompilesEveryKernelForEveryDType) {
  const Nvrtc* const nvrtc = Nvrtc::Get();
  if (nvrtc == nullptr) GTEST_SKIP() << "skipped: no NVRTC (the CUDA toolkit)";
  if (std::getenv("RAMET_NVRTC") == nullptr) {
    GTEST_SKIP() << "skipped: set RAMET_NVRTC to all or newest; the test takes minutes";
  }
  for (int arch : ArchitecturesToTest(*nvrtc)) {
    for (const ProgramVariant& variant : AllVariants()) {
      EXPECT_EQ(nvrtc->Compile(SourceOf(variant, false), arch), "")
          << arch << ": " << TextOf(variant);
    }
  }
}

}  // namespace
}  // namespace ramet::gpu
