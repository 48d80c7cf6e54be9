#include "ramet/linalg/onednn.h"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "ramet/base/log.h"

namespace ramet::linalg {
namespace {

constexpr const char* kLibrary = "libdnnl.so.2";

#if defined(RTLD_DEEPBIND) && !defined(RAMET_SANITIZE)
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#else
// Sanitizers need their own malloc in every library.
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
#endif

std::optional<OneDnn> Load() {
  const char* wanted = std::getenv("RAMET_ONEDNN");
  if (wanted != nullptr && std::string_view(wanted) == "0") return std::nullopt;
  void* library = dlopen(kLibrary, kFlags);
  OneDnn functions;
  if (library != nullptr) {
    functions.sgemm = reinterpret_cast<OneDnn::Sgemm>(dlsym(library, "dnnl_sgemm"));
  }
  if (functions.sgemm != nullptr) return functions;
  const char* reason = dlerror();
  LogWarning(kLibrary, " cannot be used (", reason != nullptr ? reason : "no dnnl_sgemm",
             "): matrix products run on slower code; install it (Debian: libdnnl2)");
  return std::nullopt;
}

}  // namespace

const OneDnn* LoadOneDnn() {
  static const std::optional<OneDnn> functions = Load();
  return functions ? &*functions : nullptr;
}

}  // namespace ramet::linalg
