#include "ramet/op/resource_store.h"

namespace ramet {

std::string ResourceContainer(std::string_view container) {
  return std::string("resource variables/").append(container);
}

std::shared_ptr<Resource> ResourceStore::FindOrCreate(
    std::string_view container, std::string_view name,
    const std::function<std::shared_ptr<Resource>()>& make) {
  MutexLock lock(mutex_);
  auto& slot = resources_[Key(container, name)];
  if (!slot) slot = make();
  return slot;
}

std::shared_ptr<Resource> ResourceStore::Find(std::string_view container,
                                              std::string_view name) const {
  MutexLock lock(mutex_);
  auto it = resources_.find(Key(container, name));
  return it == resources_.end() ? nullptr : it->second;
}

std::shared_ptr<VariableState> ResourceStore::FindOrCreateVariable(std::string_view container,
                                                                   std::string_view name) {
  auto made = FindOrCreate(container, name,
                           [&] { return std::make_shared<VariableState>(std::string(name)); });
  return std::dynamic_pointer_cast<VariableState>(made);
}

std::vector<std::shared_ptr<VariableState>> ResourceStore::Variables() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<VariableState>> variables;
  for (const auto& [key, resource] : resources_) {
    if (auto v = std::dynamic_pointer_cast<VariableState>(resource)) variables.push_back(v);
  }
  return variables;
}

}  // namespace ramet
