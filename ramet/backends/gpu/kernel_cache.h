#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/codegen/compile_cache.h"
#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu {

// A Program is the source of kernels in the dialect (codegen/dialect.h). Programs are constants.
struct Program {
  std::string_view name;  // unique in the process
  std::string_view source;
};

// Macros that a program is compiled with, by name: {{"T", "f32"}}.
using Definitions = std::vector<std::pair<std::string, std::string>>;

// A KernelCache holds the compiled kernels of a device. Thread-safe.
class KernelCache {
 public:
  explicit KernelCache(DriverDevice& device)
      : device_(device), compile_cache_(CompileCache::DefaultFolder()) {}

  // Returns a kernel of a program with these definitions, compiled on the first call. It lives as
  // long as this object.
  // \error kUnimplemented: a definition is "f64", and the device cannot compute on doubles.
  // \error kInternal: the program does not compile; the message has the compiler's.
  StatusOr<DriverFunction*> Function(const Program& program, const Definitions& definitions,
                                     std::string_view name, bool has_large_indices);

 private:
  struct CompiledModule {
    std::unique_ptr<DriverModule> module;
    std::map<std::string, std::unique_ptr<DriverFunction>, std::less<>> functions;
  };
  // A function with what Function was called with.
  struct Known {
    std::string_view program;
    Definitions definitions;
    std::string name;
    bool has_large_indices;
    DriverFunction* function;
  };

  StatusOr<DriverFunction*> Make(const Program& program, const Definitions& definitions,
                                 std::string_view name, bool has_large_indices)
      RAMET_REQUIRES(mutex_);
  StatusOr<CompiledModule*> ModuleFor(const Program& program, const Definitions& definitions,
                                      bool has_large_indices) RAMET_REQUIRES(mutex_);

  DriverDevice& device_;
  CompileCache compile_cache_;
  Mutex mutex_;
  std::map<std::string, CompiledModule, std::less<>> modules_ RAMET_GUARDED_BY(mutex_);
  // By hash, so that a launch builds no key.
  std::unordered_multimap<size_t, Known> known_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::gpu
