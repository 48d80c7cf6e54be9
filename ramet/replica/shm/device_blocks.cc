#include "ramet/replica/shm/device_blocks.h"

#include <algorithm>
#include <map>

#include "ramet/base/log.h"
#include "ramet/tensor/outside_values.h"

namespace ramet::shm {
namespace {

size_t RoundedBytes(const Tensor& value) {
  constexpr size_t kUnit = SharedBlock::kAlignment;
  return (value.bytes() + kUnit - 1) / kUnit * kUnit;
}

using ByDevice = std::map<const MemorySharer*, std::vector<size_t>>;

// Returns the indices of the values that followers may map, by device. Integers are copied by
// followers, because kernels may use them as indices.
ByDevice Sharable(std::span<const Tensor> values, const std::set<std::string>& keys) {
  ByDevice found;
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor& value = values[i];
    if (value.empty() || value.bytes() == 0 || !MayStayShared(value.dtype())) continue;
    if (value.memory() == nullptr) continue;
    const MemorySharer* const sharer = MemorySharerOf(*value.memory());
    if (sharer != nullptr && keys.contains(sharer->sharing_key())) found[sharer].push_back(i);
  }
  return found;
}

}  // namespace

// Copies and their places. Place 0 is none.
struct DeviceBlocks::Placed final : DeviceCopies {
  struct Place {
    uint32_t block = 0;
    uint64_t offset = 0;
  };
  std::vector<Place> places;
};

DeviceBlocks::DeviceBlocks(int retained)
    : max_versions_(std::min(static_cast<size_t>(retained) + 2, kMaxVersions)) {}

std::shared_ptr<DeviceCopies> DeviceBlocks::Reserve(std::span<const Tensor> values,
                                                    const std::set<std::string>& keys) {
  MutexLock lock(mutex_);
  if (keys.empty()) {
    std::erase_if(blocks_, [](const auto& block) { return !block->in_use; });
    return nullptr;
  }
  auto placed = std::make_shared<Placed>();
  placed->values.resize(values.size());
  placed->places.resize(values.size());
  bool is_empty = true;
  for (const auto& [sharer, indices] : Sharable(values, keys)) {
    size_t bytes = 0;
    for (size_t i : indices) bytes += RoundedBytes(values[i]);
    const std::shared_ptr<Block> block = Take(*sharer, bytes);
    if (!block) continue;
    is_empty = false;
    const std::shared_ptr<const void> lease(block.get(), [block](const void*) {
      block->in_use.store(false, std::memory_order_release);
    });
    size_t offset = 0;
    for (size_t i : indices) {
      const Tensor& value = values[i];
      placed->values[i] = block->memory->ValueAt(offset, value.dtype(), value.shape(), lease);
      placed->places[i] = {block->number, offset};
      offset += RoundedBytes(value);
    }
  }
  if (is_empty) return nullptr;
  return placed;
}

std::shared_ptr<DeviceBlocks::Block> DeviceBlocks::Take(const MemorySharer& sharer, size_t bytes) {
  size_t of_device = 0;
  for (const std::shared_ptr<Block>& block : blocks_) {
    if (block->key != sharer.sharing_key()) continue;
    ++of_device;
    if (block->memory->size() < bytes || block->in_use.load(std::memory_order_acquire)) continue;
    block->in_use = true;
    return block;
  }
  if (of_device >= max_versions_) return nullptr;
  auto memory = sharer.AllocateShared(bytes);
  if (!memory.ok()) {
    LogOnce(
        LogLevel::kDebug, "shared device memory",
        "followers on the same GPU copy values through host memory: ", memory.status().message());
    return nullptr;
  }
  auto block = std::make_shared<Block>();
  block->number = ++last_number_;
  block->key = sharer.sharing_key();
  block->memory = *std::move(memory);
  block->in_use = true;
  blocks_.push_back(block);
  return block;
}

std::vector<std::shared_ptr<const DeviceBlocks::Block>> DeviceBlocks::Blocks() const {
  MutexLock lock(mutex_);
  return {blocks_.begin(), blocks_.end()};
}

void DeviceBlocks::FillEntries(const DeviceCopies* copies, std::span<Entry> entries) {
  const auto* const placed = static_cast<const Placed*>(copies);
  for (size_t i = 0; i < entries.size(); ++i) {
    const Placed::Place place = placed != nullptr ? placed->places[i] : Placed::Place();
    entries[i].device_block = place.block;
    entries[i].device_offset = place.offset;
  }
}

}  // namespace ramet::shm
