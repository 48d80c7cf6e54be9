#include "ramet/backends/gpu/ops/reduce_launch.h"

#include <algorithm>
#include <bit>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
namespace {

constexpr int64_t kMinReduceGroup = 128;
constexpr int64_t kMaxReduceGroup = 512;  // the size of `parts` in the programs
// So many items hide the latency of a unit's memory.
constexpr int64_t kItemsPerUnit = 2048;
// An item loads four elements at once. More than 16 gain nothing if the device is full anyway.
constexpr int64_t kMinElementsPerItem = 4;
constexpr int64_t kBusyElementsPerItem = 16;
// Reading this many takes an item about as long as a second launch.
constexpr int64_t kElementsWorthAPass = 32;
constexpr int64_t kMinElementsInChunk = 8;
// An item joins groups of four one after the other, so this bounds the error.
constexpr int64_t kMaxElementsPerItem = 2048;
constexpr int64_t kMaxReduceChunks = 4096;
// Neighbors that are read together: 32 to 128 bytes of float32.
constexpr int64_t kMinColumns = 8;
constexpr int64_t kMaxColumns = 32;

int64_t PowerUp(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

// Returns the number of neighboring elements of the result that a group computes.
int64_t ColumnsOf(int64_t outputs, int64_t units) {
  int64_t columns = kMaxColumns;
  while (columns > kMinColumns && CeilDivide(outputs, columns) < units) columns /= 2;
  return std::min(columns, PowerUp(outputs));
}

// Returns the number of chunks, for groups with this many items together.
int64_t ChunksOf(int64_t elements_per_item, int64_t items, int64_t full) {
  int64_t chunks = CeilDivide(elements_per_item, kMaxElementsPerItem);
  if (elements_per_item > kElementsWorthAPass) {
    const int64_t useful = CeilDivide(elements_per_item, kMinElementsInChunk);
    chunks = std::max(chunks, std::min(useful, full / items));
  }
  return std::min(chunks, kMaxReduceChunks);
}

}  // namespace

int64_t ReduceDevice::MaxGroup() const {
  const int64_t size = std::clamp<int64_t>(max_group_size, 1, kMaxReduceGroup);
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size)));
}

ReduceLaunch::ReduceLaunch(const ReduceDevice& device, const linalg::ReducePlan& plan) {
  const int64_t outputs = plan.output_size(), count = plan.reduced_size();
  const int64_t units = std::max<int64_t>(device.compute_units, 1);
  const int64_t max_group = device.MaxGroup();
  const int64_t full = units * kItemsPerUnit;
  const int64_t per_item =
      std::clamp(plan.input_size() / full, kMinElementsPerItem, kBusyElementsPerItem);
  const int64_t columns =
      NeighborsAreReduced(plan) ? 1 : std::min(ColumnsOf(outputs, units), max_group);
  lanes = std::min(PowerUp(CeilDivide(count, per_item)), max_group / columns);
  group = std::max(lanes * columns, std::min(kMinReduceGroup, max_group));
  const int64_t items = CeilDivide(outputs, group / lanes) * group;
  const int64_t wanted = ChunksOf(CeilDivide(count, lanes), items, full);
  chunk = CeilDivide(CeilDivide(count, wanted), lanes) * lanes;
  chunks = CeilDivide(count, chunk);
}

}  // namespace ramet::gpu
