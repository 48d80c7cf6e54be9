#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T, the tag of an unsigned integer as wide as an element; RANK, the number of
// dimensions.
const Program kCopyProgram = {"copy", R"(
typedef struct { i64 sizes[8], from[8], to[8]; i64 from_offset, to_offset; } Dims;
KERNEL(copy)(GLOBAL const T* x, GLOBAL T* y, Dims d, index_t n) {
  FOR_EACH(i, n) {
    index_t rest = i;
    index_t from = (index_t)d.from_offset;
    index_t to = (index_t)d.to_offset;
    UNROLL for (int k = RANK - 1; k > 0; --k) {
      const index_t next = DIVIDE(rest, (index_t)d.sizes[k]);
      const index_t at = rest - next * (index_t)d.sizes[k];
      from += at * (index_t)d.from[k];
      to += at * (index_t)d.to[k];
      rest = next;
    }
    y[to + rest * (index_t)d.to[0]] = x[from + rest * (index_t)d.from[0]];
  }
}
)"};

// Definitions: T, the tag of an unsigned integer as wide as an element.
const Program kSelectProgram = {"select", R"(
KERNEL(select_elements)(GLOBAL const u8* condition, GLOBAL const T* a, GLOBAL const T* b, GLOBAL T* y,
               index_t n) {
  FOR_EACH(i, n) y[i] = condition[i] ? a[i] : b[i];
}
)"};

// Definitions: T and S, the tags of elements and sums.
const Program kAddProgram = {"add", R"(
KERNEL(add_repeated)(GLOBAL const STORED(T)* a, GLOBAL const STORED(T)* b, GLOBAL STORED(T)* y,
                     index_t inner, index_t count, index_t n) {
  FOR_EACH(i, n) {
    STORE(T, y, i, (VALUE(S))LOAD(T, a, i) + (VALUE(S))LOAD(T, b, i / inner % count));
  }
}
)"};

// Definitions: T, the tag of elements.
const Program kRootProgram = {"roots", R"(
KERNEL(roots)(GLOBAL STORED(T)* y, index_t n) {
  FOR_EACH(i, n) STORE(T, y, i, sqrt(LOAD(T, y, i)));
}
)"};

}  // namespace ramet::gpu
