#include "ramet/op/host_function.h"

#include <map>

#include "ramet/base/mutex.h"

namespace ramet {
namespace {

struct Registry {
  Mutex mutex;
  std::map<std::string, HostFunction, std::less<>> functions RAMET_GUARDED_BY(mutex);
};

Registry& Functions() {
  static Registry* const registry = new Registry;
  return *registry;
}

}  // namespace

Status RegisterHostFunction(std::string_view token, HostFunction function) {
  if (!function) return InvalidArgument("the function for token '", token, "' is empty");
  Registry& registry = Functions();
  MutexLock lock(registry.mutex);
  if (!registry.functions.emplace(std::string(token), std::move(function)).second) {
    return AlreadyExists("a function is already registered under the token '", token, "'");
  }
  return OkStatus();
}

bool UnregisterHostFunction(std::string_view token) {
  Registry& registry = Functions();
  HostFunction last;
  MutexLock lock(registry.mutex);
  auto found = registry.functions.find(token);
  if (found == registry.functions.end()) return false;
  last = std::move(found->second);
  registry.functions.erase(found);
  return true;
}

StatusOr<HostFunction> FindHostFunction(std::string_view token) {
  Registry& registry = Functions();
  MutexLock lock(registry.mutex);
  auto found = registry.functions.find(token);
  if (found != registry.functions.end()) return found->second;
  return NotFound("no function is registered under the token '", token,
                  "'; a graph that calls Python functions (tf.py_func) can only run in the "
                  "process that built it");
}

}  // namespace ramet
