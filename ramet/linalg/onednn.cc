#include "ramet/linalg/onednn.h"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "ramet/base/log.h"
#include "ramet/base/own_library.h"
#include "ramet/linalg/onednn_threads.h"

namespace ramet::linalg {
namespace {

constexpr const char* kLibrary = "libdnnl.so.2";

// Returns an error naming the first missing function, or nullptr.
const char* FindFunctions(void* library, OneDnn* functions) {
#define RAMET_ONEDNN_FIND(name)                                                                 \
  functions->name = reinterpret_cast<decltype(functions->name)>(dlsym(library, "dnnl_" #name)); \
  if (functions->name == nullptr) return "it has no dnnl_" #name;
  RAMET_ONEDNN_FUNCTIONS(RAMET_ONEDNN_FIND)
#undef RAMET_ONEDNN_FIND
  return nullptr;
}

// Returns the reason why the library cannot be used, or "".
std::string Prepare(void* library, OneDnn* functions) {
  const char* missing = library == nullptr ? dlerror() : FindFunctions(library, functions);
  if (missing != nullptr) return missing;
  return library == nullptr ? "unknown reason" : UseOurThreads(library);
}

std::optional<OneDnn> Load() {
  const char* wanted = std::getenv("RAMET_ONEDNN");
  if (wanted != nullptr && std::string_view(wanted) == "0") return std::nullopt;
  void* library = OpenOwnLibrary(kLibrary);
  OneDnn functions;
  const std::string reason = Prepare(library, &functions);
  if (reason.empty()) return functions;
  LogWarning(kLibrary, " cannot be used (", reason,
             "): matrix products and convolutions use slower code; install it (Debian: "
             "libdnnl2)");
  return std::nullopt;
}

}  // namespace

const OneDnn* LoadOneDnn() {
  static const std::optional<OneDnn> functions = Load();
  return functions ? &*functions : nullptr;
}

}  // namespace ramet::linalg
