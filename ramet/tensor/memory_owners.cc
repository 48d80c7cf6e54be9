#include "ramet/tensor/memory_owners.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"

namespace ramet {
namespace {

thread_local const OwnerScope* current_owner = nullptr;

struct Owned {
  std::string owner;
  uint64_t bytes;
};

// Addresses are unique only within the memory of one device.
using Key = std::pair<const DeviceMemory*, const void*>;

Key KeyOf(const Buffer& buffer) { return {buffer.memory(), buffer.data()}; }

}  // namespace

OwnerScope::OwnerScope() : outer_(std::exchange(current_owner, this)) {}
OwnerScope::~OwnerScope() { current_owner = outer_; }

struct MemoryOwners::Impl {
  mutable Mutex mutex;
  std::map<Key, Owned> buffers RAMET_GUARDED_BY(mutex);
};

MemoryOwners::MemoryOwners() : impl_(new Impl) {}

MemoryOwners& MemoryOwners::Global() {
  static auto* const owners = new MemoryOwners;
  return *owners;
}

void MemoryOwners::Add(const Buffer& buffer, uint64_t bytes) {
  Owned owned{current_owner ? current_owner->Name() : "copies and temporary values", bytes};
  MutexLock lock(impl_->mutex);
  impl_->buffers.insert_or_assign(KeyOf(buffer), std::move(owned));
}

void MemoryOwners::Remove(const Buffer& buffer) {
  MutexLock lock(impl_->mutex);
  impl_->buffers.erase(KeyOf(buffer));
}

void MemoryOwners::GiveToVariable(const Tensor& value, const std::string& variable) {
  if (value.empty() || value.host_accessible()) return;
  MutexLock lock(impl_->mutex);
  const auto found = impl_->buffers.find(KeyOf(*value.buffer().get()));
  if (found != impl_->buffers.end()) found->second.owner = StrCat("variable '", variable, "'");
}

std::vector<MemoryOwner> MemoryOwners::OwnersIn(const DeviceMemory* memory) const {
  std::map<std::string, MemoryOwner> by_name;
  {
    MutexLock lock(impl_->mutex);
    for (const auto& [key, owned] : impl_->buffers) {
      if (key.first != memory) continue;
      MemoryOwner& owner = by_name[owned.owner];
      owner.name = owned.owner;
      owner.bytes += owned.bytes;
      ++owner.buffers;
    }
  }
  std::vector<MemoryOwner> owners;
  for (auto& [name, owner] : by_name) owners.push_back(std::move(owner));
  std::ranges::stable_sort(owners, std::greater(), &MemoryOwner::bytes);
  return owners;
}

}  // namespace ramet
