#include "ramet/backends/gpu/kernel_cache.h"

#include <algorithm>
#include <cstring>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/codegen/parameters.h"
#include "ramet/base/strings.h"

namespace ramet::gpu {
namespace {

bool NeedsDouble(const Definitions& definitions) {
  return std::ranges::any_of(definitions, [](const auto& d) { return d.second == "f64"; });
}

std::string TextOf(const Definitions& definitions) {
  std::string text;
  for (const auto& [name, value] : definitions) {
    text += StrCat("#define ", name, " ", value, "\n");
  }
  return text;
}

// Returns "T=f32, I=i32".
std::string LineOf(const Definitions& definitions) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : definitions) parts.push_back(StrCat(name, "=", value));
  return parts.empty() ? "no definitions" : StrJoin(parts, ", ");
}

size_t HashOf(const Program& program, const Definitions& definitions, std::string_view name,
              bool has_large_indices) {
  // Each launch computes this, so it looks only at the ends of the texts.
  size_t hash = has_large_indices;
  const auto add = [&](std::string_view text) {
    uint64_t end = 0;
    const size_t count = std::min(text.size(), sizeof end);
    std::memcpy(&end, text.data() + text.size() - count, count);
    hash = (hash ^ end ^ text.size() << 56) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  add(program.name);
  add(name);
  for (const auto& [macro, value] : definitions) add(value);
  return hash;
}

}  // namespace

StatusOr<DriverFunction*> KernelCache::Function(const Program& program,
                                                const Definitions& definitions,
                                                std::string_view name, bool has_large_indices) {
  const size_t hash = HashOf(program, definitions, name, has_large_indices);
  MutexLock lock(mutex_);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    const Known& k = known->second;
    if (k.program == program.name && k.name == name && k.has_large_indices == has_large_indices &&
        k.definitions == definitions) {
      return k.function;
    }
  }
  RAMET_ASSIGN_OR_RETURN(DriverFunction* const function,
                         Make(program, definitions, name, has_large_indices));
  known_.emplace(hash,
                 Known{program.name, definitions, std::string(name), has_large_indices, function});
  return function;
}

StatusOr<DriverFunction*> KernelCache::Make(const Program& program, const Definitions& definitions,
                                            std::string_view name, bool has_large_indices) {
  auto compiled = ModuleFor(program, definitions, has_large_indices);
  if (IsInternal(compiled.status())) {
    return Internal("GPU program '", program.name, "', kernel '", name, "', with ",
                    LineOf(definitions), ": ", compiled.status().message(),
                    "\nUpdate the driver of the GPU, or place the operation on the CPU "
                    "(tf.device('/cpu:0'), or RAMET_GPU=off for all operations)");
  }
  RAMET_RETURN_IF_ERROR(compiled.status());
  auto& functions = (*compiled)->functions;
  auto found = functions.find(name);
  if (found == functions.end()) {
    RAMET_ASSIGN_OR_RETURN(auto function, (*compiled)->module->Function(std::string(name)));
    function->set_only_reads(OnlyReadParameters(program.source, name));
    found = functions.emplace(name, std::move(function)).first;
  }
  return found->second.get();
}

StatusOr<KernelCache::CompiledModule*> KernelCache::ModuleFor(const Program& program,
                                                              const Definitions& definitions,
                                                              bool has_large_indices) {
  const std::string text = TextOf(definitions);
  std::string key = StrCat(program.name, has_large_indices ? " large\n" : "\n", text);
  if (auto found = modules_.find(key); found != modules_.end()) return &found->second;
  const DriverDeviceInfo& info = device_.info();
  if (NeedsDouble(definitions) && !info.has_double) {
    return Unimplemented(info.name, " cannot compute on doubles, which the GPU program '",
                         program.name, "' needs; place the operation on the CPU");
  }
  const std::string source = StrCat(
      DialectPrelude(info.language, info.has_double, has_large_indices), text, program.source);
  RAMET_ASSIGN_OR_RETURN(auto module,
                         compile_cache_.Compile(device_, source, DialectOptions(info.language)));
  return &(modules_[std::move(key)] = {std::move(module), {}});
}

}  // namespace ramet::gpu
