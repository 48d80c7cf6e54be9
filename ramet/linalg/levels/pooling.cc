#include <cfloat>

#include "ramet/linalg/levels/pool_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

template <class T>
void AddAvgPools(KernelTable& table, Type type) {
  const int t = static_cast<int>(type);
  table.pool[static_cast<int>(PoolKind::kAvg)][t] = &AvgPixels<T>;
  table.pool[static_cast<int>(PoolKind::kAvgGrad)][t] = &AvgGradImages<T>;
}

}  // namespace

void AddPooling(KernelTable& table) {
  AddMaxPools<float>(table, Type::kFloat, [](const PoolArgs& a, int64_t begin, int64_t end) {
    MaxPixels<float>(a, begin, end, -FLT_MAX);
  });
  AddMaxPools<double>(table, Type::kDouble, [](const PoolArgs& a, int64_t begin, int64_t end) {
    MaxPixels<double>(a, begin, end, -DBL_MAX);
  });
  AddAvgPools<float>(table, Type::kFloat);
  AddAvgPools<double>(table, Type::kDouble);
}

}  // namespace ramet::linalg::RAMET_LEVEL
