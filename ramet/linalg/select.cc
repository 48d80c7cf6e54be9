#include "ramet/linalg/select.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/width.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread (ramet_linalg_bench select/*).
constexpr int64_t kGrainElements = 16384;

template <class T>
void SelectRow(const bool* condition, int64_t cs, const T* a, int64_t as, const T* b, int64_t bs,
               int64_t n, T* y) {
  if (cs == 0) {
    const T* from = *condition ? a : b;
    if ((*condition ? as : bs) == 0) {
      std::fill_n(y, n, *from);
    } else if (y != from) {
      std::memcpy(y, from, n * sizeof(T));
    }
    return;
  }
  if constexpr (sizeof(T) <= 8) {
    Kernels().select[std::countr_zero(sizeof(T))](condition, a, as == 0, b, bs == 0, n, y);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = condition[i] ? a[i * as] : b[i * bs];
  }
}

// Calls fn(row, offsets of the operands) for rows [begin, end) of a plan.
template <class Fn>
void ForRows(const BroadcastPlan& plan, int operands, int64_t begin, int64_t end, const Fn& fn) {
  for (int64_t row = begin; row < end; ++row) {
    int64_t at[BroadcastPlan::kMaxOperands] = {};
    int64_t rest = row;
    for (int i = plan.ndims() - 2; i >= 0; --i) {
      const int64_t index = rest % plan.dim(i);
      rest /= plan.dim(i);
      for (int o = 0; o < operands; ++o) at[o] += index * plan.stride(o, i);
    }
    fn(row, at);
  }
}

template <class T>
void SelectOf(const BroadcastPlan& plan, const bool* condition, const T* a, const T* b, T* y) {
  const int last = plan.ndims() - 1;
  const int64_t n = plan.dim(last);
  const int64_t cs = plan.stride(0, last), as = plan.stride(1, last), bs = plan.stride(2, last);
  if (last == 0) {
    ParallelFor(n, kGrainElements, [&](int64_t begin, int64_t end) {
      SelectRow(condition + begin * cs, cs, a + begin * as, as, b + begin * bs, bs, end - begin,
                y + begin);
    });
    return;
  }
  ParallelFor(plan.size() / n, (kGrainElements + n - 1) / n, [&](int64_t begin, int64_t end) {
    ForRows(plan, 3, begin, end, [&](int64_t row, const int64_t* at) {
      SelectRow(condition + at[0], cs, a + at[1], as, b + at[2], bs, n, y + row * n);
    });
  });
}

template <class T>
void MakeComplexOf(const BroadcastPlan& plan, const T* re, const T* im, T* z) {
  const int last = plan.ndims() - 1;
  const int64_t n = plan.dim(last);
  const int64_t rs = plan.stride(0, last), is = plan.stride(1, last);
  ParallelFor(plan.size() / n, (kGrainElements + n - 1) / n, [&](int64_t begin, int64_t end) {
    ForRows(plan, 2, begin, end, [&](int64_t row, const int64_t* at) {
      T* out = z + 2 * row * n;
      for (int64_t i = 0; i < n; ++i) {
        out[2 * i] = re[at[0] + i * rs];
        out[2 * i + 1] = im[at[1] + i * is];
      }
    });
  });
}

}  // namespace

void Select(int64_t width, const BroadcastPlan& plan, const bool* condition, const void* a,
            const void* b, void* y) {
  if (plan.size() == 0) return;
  WithWidth(width, [&](auto tag) {
    using T = decltype(tag);
    SelectOf(plan, condition, static_cast<const T*>(a), static_cast<const T*>(b),
             static_cast<T*>(y));
  });
}

void MakeComplex(Type real_type, const BroadcastPlan& plan, const void* re, const void* im,
                 void* z) {
  if (plan.size() == 0) return;
  if (real_type == Type::kFloat) {
    MakeComplexOf(plan, static_cast<const float*>(re), static_cast<const float*>(im),
                  static_cast<float*>(z));
  } else {
    MakeComplexOf(plan, static_cast<const double*>(re), static_cast<const double*>(im),
                  static_cast<double*>(z));
  }
}

}  // namespace ramet::linalg
