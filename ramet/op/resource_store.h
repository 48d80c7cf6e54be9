#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/variable/variable_state.h"

namespace ramet {

// Returns the container in which a ResourceStore keeps the resource variables of `container`. They
// are separate from reference variables, so that a VarHandleOp and a VariableV2 of the same name
// are different variables.
std::string ResourceContainer(std::string_view container);

// A ResourceStore owns the resources of one session, by (container, name). Thread-safe.
class ResourceStore {
 public:
  // Returns the resource of that name, calling `make` if there is none.
  std::shared_ptr<Resource> FindOrCreate(std::string_view container, std::string_view name,
                                         const std::function<std::shared_ptr<Resource>()>& make);
  // Returns nullptr if there is none.
  std::shared_ptr<Resource> Find(std::string_view container, std::string_view name) const;
  std::shared_ptr<VariableState> FindOrCreateVariable(std::string_view container,
                                                      std::string_view name);
  // Returns all variables, sorted by container and name.
  std::vector<std::shared_ptr<VariableState>> Variables() const;

 private:
  using Key = std::pair<std::string, std::string>;
  mutable Mutex mutex_;
  std::map<Key, std::shared_ptr<Resource>> resources_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
