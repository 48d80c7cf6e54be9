#pragma once

#include <numeric>
#include <vector>

#include "ramet/linalg/strided_copy.h"
#include "ramet/op/kernel.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// Copies `n` elements of x, starting at element `from`, to y, starting at element `to`.
void CopyElements(const Tensor& x, int64_t from, Tensor& y, int64_t to, int64_t n);

// Moves elements of x to y without looking at them. `move(width, x, y)` gets pointers to the first
// elements of both, `width` bytes each. For strings and variants, `move` gets element numbers
// instead, and the elements are then copied accordingly; elements of y to which nothing is moved
// keep their values.
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

// Copies elements of x to y for all index vectors i below `dims`: the element of x at `x_offset +
// sum(i * x_strides)` goes to `y_offset + sum(i * y_strides)` in y. Like linalg::StridedCopy, but
// also for strings and variants, and in device memory, as the functions below.
Status MoveStrided(const Tensor& x, int64_t x_offset, std::span<const int64_t> x_strides, Tensor& y,
                   int64_t y_offset, std::span<const int64_t> y_strides,
                   std::span<const int64_t> dims);
// Sets all elements of y to the single element of `value`, which has the dtype of y.
Status FillWith(const Tensor& value, Tensor& y);
// Sets all elements to 0, false, "" or an empty variant.
Status FillZeros(Tensor& y);
// Copies all elements of x to y, which has as many. Unlike CopyElements, also in device memory.
Status CopyAll(const Tensor& x, Tensor& y);

}  // namespace ramet
