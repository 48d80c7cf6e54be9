#include "ramet/op/resource_store.h"

namespace ramet {

Tensor VariableState::Read() const {
  std::lock_guard lock(mutex_);
  return value_;
}

bool VariableState::initialized() const {
  std::lock_guard lock(mutex_);
  return !value_.empty();
}

void VariableState::Set(Tensor value) {
  std::lock_guard lock(mutex_);
  std::swap(value_, value);
}

Status VariableState::UninitializedError() const {
  return FailedPrecondition("Attempting to use uninitialized value ", name_,
                            "; restore a checkpoint or run its initializer (Session::"
                            "InitializeMissing, in Python session.initialize_missing(), "
                            "initialises only what is missing)");
}

std::string ResourceContainer(std::string_view container) {
  return std::string("resource variables/").append(container);
}

std::shared_ptr<Resource> ResourceStore::FindOrCreate(
    std::string_view container, std::string_view name,
    const std::function<std::shared_ptr<Resource>()>& make) {
  std::lock_guard lock(mutex_);
  auto& slot = resources_[Key(container, name)];
  if (!slot) slot = make();
  return slot;
}

std::shared_ptr<Resource> ResourceStore::Find(std::string_view container,
                                              std::string_view name) const {
  std::lock_guard lock(mutex_);
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
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<VariableState>> variables;
  for (const auto& [key, resource] : resources_) {
    if (auto v = std::dynamic_pointer_cast<VariableState>(resource)) variables.push_back(v);
  }
  return variables;
}

}  // namespace ramet
