#include "ramet/graph/node_names.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ramet/base/folded_hash.h"
#include "ramet/graph/graph_impl.h"

namespace ramet {
namespace {

constexpr size_t kFirstSlots = 16;
// The number of slots that are prefetched at a time.
constexpr size_t kRun = 32;

// Keeps the load factor at or below three quarters.
size_t SlotsFor(size_t names) { return std::bit_ceil(names + names / 3 + 1); }

}  // namespace

uint32_t NodeNames::Hash(std::string_view name) { return FoldedHash(name); }

size_t NodeNames::Locate(Nodes nodes, std::string_view name, uint32_t hash) const {
  size_t at = Home(hash);
  while (slots_[at].id >= 0) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && nodes[static_cast<size_t>(slot.id)].name == name) return at;
    at = Next(at);
  }
  return at;
}

int32_t NodeNames::Find(Nodes nodes, std::string_view name) const {
  return slots_.empty() ? -1 : slots_[Locate(nodes, name, Hash(name))].id;
}

void NodeNames::Add(Nodes nodes, int32_t id) {
  if (SlotsFor(size_ + 1) > slots_.size()) {
    Rehash(slots_.empty() ? kFirstSlots : slots_.size() * 2);
  }
  Insert(nodes, id, Hash(nodes[static_cast<size_t>(id)].name));
}

void NodeNames::Insert(Nodes nodes, int32_t id, uint32_t hash) {
  Slot& slot = slots_[Locate(nodes, nodes[static_cast<size_t>(id)].name, hash)];
  if (slot.id >= 0) return;
  slot = {hash, id};
  ++size_;
}

void NodeNames::AddFrom(Nodes nodes, int32_t first) {
  const size_t begin = static_cast<size_t>(first);
  Reserve(size_ + nodes.size() - begin);
  std::array<uint32_t, kRun> hashes;
  for (size_t run = begin; run < nodes.size(); run += kRun) {
    const size_t count = std::min(kRun, nodes.size() - run);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = Hash(nodes[run + i].name);
      __builtin_prefetch(&slots_[Home(hashes[i])], 1);
    }
    for (size_t i = 0; i < count; ++i) Insert(nodes, static_cast<int32_t>(run + i), hashes[i]);
  }
}

void NodeNames::Remove(Nodes nodes, int32_t id) {
  next_numbers_.clear();
  if (slots_.empty()) return;
  const std::string_view name = nodes[static_cast<size_t>(id)].name;
  size_t gap = Locate(nodes, name, Hash(name));
  if (slots_[gap].id != id) return;
  // Entries after the gap move into it unless they are at their home slot.
  for (size_t at = Next(gap); slots_[at].id >= 0; at = Next(at)) {
    const size_t mask = slots_.size() - 1;
    const size_t from_home = (at - Home(slots_[at].hash)) & mask;
    if (from_home < ((at - gap) & mask)) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap].id = -1;
  --size_;
}

void NodeNames::Reserve(size_t names) {
  if (SlotsFor(names) > slots_.size()) Rehash(SlotsFor(names));
}

void NodeNames::Rehash(size_t slots) {
  std::vector<Slot> before(slots, Slot{0, -1});
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.id < 0) continue;
    size_t at = Home(slot.hash);
    while (slots_[at].id >= 0) at = Next(at);
    slots_[at] = slot;
  }
}

}  // namespace ramet
