#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T, the tag of an unsigned integer as wide as an element; I, the tag of indices.
// Indices that are out of range select zeros and update nothing, as on TensorFlow's GPUs.
const Program kIndexProgram = {"index", R"(
KERNEL(gather)(GLOBAL const STORED(T)* params, GLOBAL const STORED(I)* indices,
               GLOBAL STORED(T)* y, index_t outer, index_t rows, index_t inner, index_t picks,
               index_t n) {
  FOR_EACH(i, n) {
    const index_t slot = i / inner;
    const index_t image = slot / picks;
    const i64 row = (i64)LOAD(I, indices, image / outer * picks + slot % picks);
    y[i] = row >= 0 && row < rows ? params[(image * rows + (index_t)row) * inner + i % inner]
                                  : (STORED(T))0;
  }
}
KERNEL(hot)(GLOBAL const STORED(I)* indices, GLOBAL const STORED(T)* on, GLOBAL STORED(T)* y,
            index_t depth, index_t inner, index_t n) {
  FOR_EACH(i, n) {
    const i64 hot = (i64)LOAD(I, indices, i);
    if (hot >= 0 && hot < depth) y[(i / inner * depth + (index_t)hot) * inner + i % inner] = on[0];
  }
}
// Finds the last update of each row: its number from 1, or 0.
KERNEL(last_update)(GLOBAL const STORED(I)* indices, GLOBAL i32* last, index_t rows, index_t n) {
  FOR_EACH(i, n) {
    const i64 row = (i64)LOAD(I, indices, i);
    if (row >= 0 && row < rows) ATOMIC_MAX_I32(last + row, (i32)i + 1);
  }
}
KERNEL(assign)(GLOBAL const STORED(I)* indices, GLOBAL const i32* last,
               GLOBAL const STORED(T)* updates, GLOBAL STORED(T)* y, index_t rows, index_t inner,
               int is_scalar, index_t n) {
  FOR_EACH(i, n) {
    const index_t j = i / inner;
    const i64 row = (i64)LOAD(I, indices, j);
    if (row < 0 || row >= rows || last[row] != (i32)j + 1) continue;
    y[(index_t)row * inner + i % inner] = updates[is_scalar != 0 ? 0 : i];
  }
}
typedef struct { i64 sizes[8]; i32 depth, unused; } Tuples;
// Finds the number of the slice that each tuple selects, or -1.
KERNEL(rows_of_tuples)(GLOBAL const STORED(I)* tuples, GLOBAL i64* rows, Tuples t, index_t n) {
  FOR_EACH(i, n) {
    i64 row = 0;
    for (int d = 0; d < t.depth; ++d) {
      const i64 at = (i64)LOAD(I, tuples, i * t.depth + d);
      if (at < 0 || at >= t.sizes[d]) row = -1;
      if (row >= 0) row = row * t.sizes[d] + at;
    }
    rows[i] = row;
  }
}
)"};

// Definitions: X, the tag of updates; T, the tag of sums: f32, f64, i32 or i64; I, the tag of
// indices; WIDE, 1 if T has 64 bits; IS_FLOAT.
const Program kRowSumProgram = {"row sums", R"(
#if WIDE
#if IS_FLOAT
#define BITS(x) AS_U64(x)
#define OF_BITS(x) AS_F64(x)
#else
#define BITS(x) ((u64)(x))
#define OF_BITS(x) ((T)(x))
#endif
FUNCTION void atomic_add_value(GLOBAL T* p, T v) {
  GLOBAL u64* bits = (GLOBAL u64*)p;
  u64 old = *bits;
  for (;;) {
    const u64 seen = ATOMIC_SWAP_U64(bits, old, BITS(OF_BITS(old) + v));
    if (seen == old) return;
    old = seen;
  }
}
#elif IS_FLOAT
FUNCTION void atomic_add_value(GLOBAL T* p, T v) { ATOMIC_ADD_F32(p, v); }
#else
FUNCTION void atomic_add_value(GLOBAL T* p, T v) { ATOMIC_ADD_I32(p, v); }
#endif
KERNEL(add)(GLOBAL const STORED(I)* indices, GLOBAL const STORED(X)* updates, GLOBAL T* y,
            index_t rows, index_t inner, int is_scalar, int sign, index_t n) {
  FOR_EACH(i, n) {
    const index_t j = i / inner;
    const i64 row = (i64)LOAD(I, indices, j);
    if (row < 0 || row >= rows) continue;
    const T v = (T)LOAD(X, updates, is_scalar != 0 ? 0 : i);
    atomic_add_value(y + ((index_t)row * inner + i % inner), sign < 0 ? -v : v);
  }
}
KERNEL(widen)(GLOBAL const STORED(X)* x, GLOBAL T* y, index_t n) {
  FOR_EACH(i, n) y[i] = (T)LOAD(X, x, i);
}
KERNEL(narrow)(GLOBAL const T* x, GLOBAL STORED(X)* y, index_t n) {
  FOR_EACH(i, n) STORE(X, y, i, (VALUE(X))x[i]);
}
)"};

// Definitions: those of kRowSumProgram, and COMBINE(a, b), the new value of an element a.
const Program kRowCombineProgram = {"row combinations", R"(
#if WIDE
typedef u64 Bits;
#define SWAP ATOMIC_SWAP_U64
#else
typedef u32 Bits;
#define SWAP ATOMIC_SWAP_U32
#endif
#if IS_FLOAT && WIDE
#define BITS(x) AS_U64(x)
#define OF_BITS(x) AS_F64(x)
#elif IS_FLOAT
#define BITS(x) AS_U32(x)
#define OF_BITS(x) AS_F32(x)
#else
#define BITS(x) ((Bits)(x))
#define OF_BITS(x) ((T)(x))
#endif
KERNEL(combine)(GLOBAL const STORED(I)* indices, GLOBAL const STORED(X)* updates, GLOBAL T* y,
                index_t rows, index_t inner, int is_scalar, index_t n) {
  FOR_EACH(i, n) {
    const i64 row = (i64)LOAD(I, indices, i / inner);
    if (row < 0 || row >= rows) continue;
    const T v = (T)LOAD(X, updates, is_scalar != 0 ? 0 : i);
    GLOBAL Bits* bits = (GLOBAL Bits*)(y + ((index_t)row * inner + i % inner));
    Bits old = *bits;
    for (;;) {
      const T a = OF_BITS(old);
      const Bits seen = SWAP(bits, old, BITS(COMBINE(a, v)));
      if (seen == old) break;
      old = seen;
    }
  }
}
)"};

}  // namespace ramet::gpu
