#include "ramet/backends/gpu/launch_order.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ramet::gpu {
namespace {

// The elements that used a block last.
struct LastUses {
  std::optional<uint32_t> writer;
  std::vector<uint32_t> readers;  // after the writer
};

// Finds the order of elements, which are added one after another.
class OrderFinder {
 public:
  explicit OrderFinder(size_t size) : before_(size, std::vector<bool>(size)) {}

  // Returns what element `i` has to follow.
  std::vector<uint32_t> Add(uint32_t i, std::span<const BlockUse> uses) {
    std::vector<uint32_t> conflicts;
    for (const BlockUse& use : uses) AddConflicts(use, &conflicts);
    for (const BlockUse& use : uses) Note(i, use);
    return WithoutImplied(i, std::move(conflicts));
  }

 private:
  void AddConflicts(const BlockUse& use, std::vector<uint32_t>* conflicts) const {
    const auto found = last_uses_.find(use.id);
    if (found == last_uses_.end()) return;
    const auto& [writer, readers] = found->second;
    if (writer) conflicts->push_back(*writer);
    if (use.is_written) conflicts->insert(conflicts->end(), readers.begin(), readers.end());
  }

  void Note(uint32_t i, const BlockUse& use) {
    LastUses& last = last_uses_[use.id];
    if (use.is_written) {
      last = {i, {}};
    } else if (last.writer != i) {
      last.readers.push_back(i);
    }
  }

  // The latest conflicts come first, because they may imply earlier ones.
  std::vector<uint32_t> WithoutImplied(uint32_t i, std::vector<uint32_t> conflicts) {
    std::vector<uint32_t> kept;
    std::ranges::sort(conflicts, std::greater<>());
    for (const uint32_t conflict : conflicts) {
      if (before_[i][conflict]) continue;
      kept.push_back(conflict);
      before_[i][conflict] = true;
      for (uint32_t k = 0; k < conflict; ++k) {
        if (before_[conflict][k]) before_[i][k] = true;
      }
    }
    return kept;
  }

  std::unordered_map<uint64_t, LastUses> last_uses_;
  std::vector<std::vector<bool>> before_;  // [i][k]: element i comes after element k
};

}  // namespace

std::vector<std::vector<uint32_t>> OrderOf(const LaunchSequence& sequence) {
  OrderFinder finder(sequence.size());
  std::vector<std::vector<uint32_t>> order;
  for (uint32_t i = 0; i < sequence.size(); ++i) {
    order.push_back(finder.Add(i, sequence.UsesOf(i)));
  }
  return order;
}

}  // namespace ramet::gpu
