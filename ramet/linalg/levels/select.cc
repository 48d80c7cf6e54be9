#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

// Branch-free; reads both operands for every element.
template <class T, bool kAScalar, bool kBScalar>
void Row(const uint8_t* condition, const T* a, const T* b, int64_t n, T* y) {
  RAMET_IVDEP
  for (int64_t i = 0; i < n; ++i) {
    const T mask = static_cast<T>(-static_cast<T>(condition[i]));
    const T x = a[kAScalar ? 0 : i], z = b[kBScalar ? 0 : i];
    y[i] = static_cast<T>((x & mask) | (z & ~mask));
  }
}

template <class T>
void SelectRow(const bool* condition, const void* av, bool a_scalar, const void* bv, bool b_scalar,
               int64_t n, void* yv) {
  const uint8_t* c = reinterpret_cast<const uint8_t*>(condition);
  const T* a = static_cast<const T*>(av);
  const T* b = static_cast<const T*>(bv);
  T* y = static_cast<T*>(yv);
  if (a_scalar && b_scalar) {
    Row<T, true, true>(c, a, b, n, y);
  } else if (a_scalar) {
    Row<T, true, false>(c, a, b, n, y);
  } else if (b_scalar) {
    Row<T, false, true>(c, a, b, n, y);
  } else {
    Row<T, false, false>(c, a, b, n, y);
  }
}

}  // namespace

void AddSelect(KernelTable& table) {
  table.select[0] = &SelectRow<uint8_t>;
  table.select[1] = &SelectRow<uint16_t>;
  table.select[2] = &SelectRow<uint32_t>;
  table.select[3] = &SelectRow<uint64_t>;
}

}  // namespace ramet::linalg::RAMET_LEVEL
