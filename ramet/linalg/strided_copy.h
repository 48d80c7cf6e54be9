#pragma once

#include <cstdint>
#include <span>

#include "ramet/linalg/types.h"

// Data movement by element width in bytes (1, 2, 4, 8 or 16), shared by all types of that width.
// Uses the calling thread's intra-op threads for large work.

namespace ramet::linalg {

// y[i0 * ys0 + i1 * ys1 + ...] = x[i0 * xs0 + i1 * xs1 + ...] for all indices below `dims`. Strides
// are in elements and may be negative; those of x may be 0. Implements slice, reverse, tile,
// broadcast, concat and split. The three spans have the same length; 0 means one element. Elements
// of y must be distinct and must not overlap x.
void StridedCopy(int64_t width, std::span<const int64_t> dims, const void* x,
                 std::span<const int64_t> x_strides, void* y, std::span<const int64_t> y_strides);

// y = x with its dimensions in the order of `perm`, a permutation of 0..dims.size()-1: dimension i
// of y is dimension perm[i] of x. x has shape `dims`. Both are dense.
void Transpose(int64_t width, std::span<const int64_t> dims, std::span<const int> perm,
               const void* x, void* y);

// y[j] = x repeated multiples[j] times along dimension j; x has shape `dims`.
void Tile(int64_t width, std::span<const int64_t> dims, std::span<const int64_t> multiples,
          const void* x, void* y);

// y[o, j, :] = x[o, indices[j], :] for x [outer, rows] with rows of row_bytes bytes and n indices
// of type int32 or int64. Returns -1, or the first j whose index is outside [0, rows); y is then
// unspecified.
int64_t GatherRows(Type index_type, int64_t outer, int64_t rows, int64_t row_bytes, const void* x,
                   int64_t n, const void* indices, void* y);

// Sets n elements of `width` bytes at y to `value`.
void Fill(int64_t width, const void* value, void* y, int64_t n);

}  // namespace ramet::linalg
