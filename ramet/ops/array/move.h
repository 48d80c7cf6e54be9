#pragma once

#include <numeric>
#include <vector>

#include "ramet/linalg/strided_copy.h"
#include "ramet/op/kernel.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// Copies `n` elements from x[from] on to y[to] on.
void CopyElements(const Tensor& x, int64_t from, Tensor& y, int64_t to, int64_t n);

// Moves elements of x to y without looking at them: `move(width, x, y)` is given the first elements
// of both, `width` bytes each. Strings and variants follow their element numbers, which are moved
// in their place; those of y that nothing is moved to stay.
template <class Move>
Status MoveElements(const Tensor& x, Tensor& y, Move&& move) {
  if (x.dtype() != DType::kString && !IsVariant(x.dtype())) {
    move(static_cast<int64_t>(DTypeSize(x.dtype())), static_cast<const char*>(x.raw_data()),
         static_cast<char*>(y.raw_data()));
    return OkStatus();
  }
  std::vector<int64_t> from(x.num_elements());
  std::iota(from.begin(), from.end(), 0);
  std::vector<int64_t> to(y.num_elements(), -1);
  move(int64_t{sizeof(int64_t)}, reinterpret_cast<const char*>(from.data()),
       reinterpret_cast<char*>(to.data()));
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] >= 0) CopyElements(x, to[i], y, static_cast<int64_t>(i), 1);
  }
  return OkStatus();
}

// y = x with element i of x at y's `y_offset + sum(i * y_strides)`, read from x's likewise, for all
// indices below `dims`. As linalg::StridedCopy; strings too.
Status MoveStrided(const Tensor& x, int64_t x_offset, std::span<const int64_t> x_strides, Tensor& y,
                   int64_t y_offset, std::span<const int64_t> y_strides,
                   std::span<const int64_t> dims);
// Sets all elements of y to the one of `value` (of y's dtype).
void FillWith(const Tensor& value, Tensor& y);
// Sets all elements to 0, false, "" or no variant.
void FillZeros(Tensor& y);

}  // namespace ramet
