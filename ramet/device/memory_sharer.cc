#include "ramet/device/memory_sharer.h"

namespace ramet {

SharedBlock::~SharedBlock() = default;
MemorySharer::~MemorySharer() = default;

const MemorySharer* MemorySharerOf(const DeviceMemory& memory) {
  const auto* const sharer = dynamic_cast<const MemorySharer*>(&memory);
  return sharer != nullptr && !sharer->sharing_key().empty() ? sharer : nullptr;
}

}  // namespace ramet
