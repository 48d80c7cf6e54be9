#pragma once

#include <algorithm>
#include <cstdint>

#include "ramet/linalg/parallel.h"

namespace ramet {

// A CenteredMatrix reads element (i, j) of a matrix of integers as data[i * row_step +
// j * column_step] - zero.
template <class Rep>
struct CenteredMatrix {
  const Rep* data;
  int64_t row_step, column_step;
  int32_t zero;

  // The bits of an element, for arithmetic that overflows.
  uint32_t At(int64_t i, int64_t j) const {
    return static_cast<uint32_t>(int32_t{data[i * row_step + j * column_step]}) -
           static_cast<uint32_t>(zero);
  }
};

// y = a b, with overflow, for a [m, k] and b [k, n]. y is dense.
template <class A, class B>
void MultiplyCentered(const CenteredMatrix<A>& a, const CenteredMatrix<B>& b, int64_t m, int64_t n,
                      int64_t k, int32_t* y) {
  constexpr int64_t kGrainProducts = 1 << 15;
  const int64_t row_products = std::max<int64_t>(n, 1) * std::max<int64_t>(k, 1);
  linalg::ParallelFor(m, std::max<int64_t>(kGrainProducts / row_products, 1),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          auto* row = reinterpret_cast<uint32_t*>(y + i * n);
                          std::fill_n(row, n, 0);
                          for (int64_t l = 0; l < k; ++l) {
                            const uint32_t factor = a.At(i, l);
                            for (int64_t j = 0; j < n; ++j) row[j] += factor * b.At(l, j);
                          }
                        }
                      });
}

}  // namespace ramet
