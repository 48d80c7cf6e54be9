#pragma once

#include "ramet/op/attr.h"
#include "ramet/ops/array/args.h"

// Padding with mirror images, for the ops that pad and the convolutions that pad first.

namespace ramet {

// A Mirror says how many mirrored elements go before and after each dimension of a tensor.
struct Mirror {
  // 1 if the outermost elements are not repeated (REFLECT), otherwise 0.
  int64_t offset;
  Dims before, after;

  // Returns the index of the element, out of the `n` of dimension d, that appears at position `at`
  // of the padded dimension.
  int64_t Source(int d, int64_t n, int64_t at) const {
    const int64_t i = at - before[d];
    if (i < 0) return -i - 1 + offset;
    return i < n ? i : 2 * n - 1 - i - offset;
  }
};

// Returns the offset for attr mode: REFLECT or SYMMETRIC.
int64_t MirrorOffset(const AttrMap& attrs);

// Reads paddings [rank, 2] for a tensor of shape x.
// \error kInvalidArgument: the shape of `paddings` does not fit, or a padding is negative.
StatusOr<Mirror> ReadMirror(const Tensor& paddings, int64_t offset, const Shape& x);

// Returns the shape of a tensor of shape x after padding. Unknown dimensions stay unknown.
// \error kInvalidArgument: a padding is larger than the dimension, or the shape overflows.
StatusOr<Shape> MirroredShape(const Mirror& m, const Shape& x);

// Pads x to y, which has the shape MirroredShape(m, x.shape()) and the same dtype.
Status MirrorElements(const Mirror& m, const Tensor& x, Tensor& y);

}  // namespace ramet
