#include <algorithm>
#include <complex>
#include <vector>

#include "ramet/linalg/svd_impl.h"
#include "ramet/linalg/widen.h"

namespace ramet::linalg {

template void Svd(int64_t, int64_t, const Complex128*, bool, Complex128*, Complex128*, Complex128*);

template <>
void Svd(int64_t m, int64_t n, const Complex64* a, bool full, Complex64* s, Complex64* u,
         Complex64* v) {
  const int64_t p = std::min(m, n);
  const bool vectors = u != nullptr;
  std::vector<Complex128> wide_s(p), wide_u(vectors ? m * (full ? m : p) : 0),
      wide_v(vectors ? n * (full ? n : p) : 0);
  Svd(m, n, Widen(a, m * n).data(), full, wide_s.data(), vectors ? wide_u.data() : nullptr,
      wide_v.data());
  Narrow(wide_s, s);
  Narrow(wide_u, u);
  Narrow(wide_v, v);
}

}  // namespace ramet::linalg
