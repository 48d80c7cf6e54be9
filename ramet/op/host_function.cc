#include "ramet/op/host_function.h"

#include <map>
#include <mutex>

namespace ramet {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, HostFunction, std::less<>> functions;
};

Registry& Functions() {
  static Registry* const registry = new Registry;
  return *registry;
}

}  // namespace

Status RegisterHostFunction(std::string_view token, HostFunction function) {
  if (!function) return InvalidArgument("the function for token '", token, "' is empty");
  Registry& registry = Functions();
  std::lock_guard lock(registry.mutex);
  if (!registry.functions.emplace(std::string(token), std::move(function)).second) {
    return AlreadyExists("a function is registered under the token '", token, "' already");
  }
  return OkStatus();
}

bool UnregisterHostFunction(std::string_view token) {
  Registry& registry = Functions();
  HostFunction last;
  std::lock_guard lock(registry.mutex);
  auto found = registry.functions.find(token);
  if (found == registry.functions.end()) return false;
  last = std::move(found->second);
  registry.functions.erase(found);
  return true;
}

StatusOr<HostFunction> FindHostFunction(std::string_view token) {
  Registry& registry = Functions();
  std::lock_guard lock(registry.mutex);
  auto found = registry.functions.find(token);
  if (found != registry.functions.end()) return found->second;
  return NotFound("no function is registered under the token '", token,
                  "'. A graph that calls a function of the program (tf.py_func) runs only in the "
                  "process that made it");
}

}  // namespace ramet
