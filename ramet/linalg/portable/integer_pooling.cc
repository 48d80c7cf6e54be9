#include <limits>

#include "ramet/linalg/levels/pool_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::portable {
namespace {

template <class T>
void AddFor(KernelTable& table) {
  AddMaxPools<T>(table, TypeOf<T>, [](const PoolArgs& a, int64_t begin, int64_t end) {
    MaxPixels<T>(a, begin, end, std::numeric_limits<T>::lowest());
  });
}

}  // namespace

void AddIntegerPooling(KernelTable& table) {
  AddFor<int8_t>(table);
  AddFor<int16_t>(table);
  AddFor<int32_t>(table);
  AddFor<int64_t>(table);
  AddFor<uint8_t>(table);
  AddFor<uint16_t>(table);
  AddFor<uint32_t>(table);
  AddFor<uint64_t>(table);
}

}  // namespace ramet::linalg::portable
