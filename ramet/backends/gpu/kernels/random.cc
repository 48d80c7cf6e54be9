#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Random numbers with the bits of linalg/random.h. A work item computes the numbers of one group of
// draws: 4, or 2 of 64 bits. Definitions: T, the tag of the dtype; TYPE, its number: 0 for f32, 1
// for f64, 2 for f16, 3 for bf16, 4 for i32, 5 for i64.
//
// Normally distributed floats need logarithm, sine and cosine with the bits of the C library, whose
// functions (from Arm's Optimized Routines) compute in double. The kernel repeats these
// computations; on devices without doubles it uses the device's functions, and bits differ.
const Program kRandomProgram = {"random", R"(
typedef struct { u32 counter[4], key[2]; } Philox;
typedef struct { u32 at[4]; } Words;
typedef VALUE(T) V;
#if TYPE == 1 || TYPE == 5
#define SIZE 2
#else
#define SIZE 4
#endif

FUNCTION void skip(Philox* g, u64 count) {
  const u64 low = (u64)g->counter[1] << 32 | g->counter[0];
  const u64 sum = low + count;
  g->counter[0] = (u32)sum;
  g->counter[1] = (u32)(sum >> 32);
  if (sum < low && ++g->counter[2] == 0) ++g->counter[3];
}
FUNCTION Words draw(Philox* g) {
  u32 c0 = g->counter[0], c1 = g->counter[1], c2 = g->counter[2], c3 = g->counter[3];
  u32 k0 = g->key[0], k1 = g->key[1];
  for (int i = 0; i < 10; ++i) {
    const u64 p0 = (u64)0xD2511F53u * c0;
    const u64 p1 = (u64)0xCD9E8D57u * c2;
    c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
    c1 = (u32)p1;
    c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
    c3 = (u32)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  skip(g, 1);
  Words w;
  w.at[0] = c0;
  w.at[1] = c1;
  w.at[2] = c2;
  w.at[3] = c3;
  return w;
}
FUNCTION f32 uniform_f32(u32 x) { return AS_F32(0x3F800000u | (x & 0x7FFFFFu)) - 1.0f; }

#ifdef HAS_DOUBLE
FUNCTION f64 uniform_f64(u32 x0, u32 x1) {
  return AS_F64((u64)(0x3FF00000u | (x0 & 0xFFFFFu)) << 32 | x1) - 1.0;
}
TABLE f64 log_table[32] = {
  0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2, 0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2,
  0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2, 0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3,
  0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3, 0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3,
  0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4, 0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4,
  0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5, 0x1p+0, 0x0p+0,
  0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5, 0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4,
  0x1.b2036576afce6p-1, 0x1.526e57720db08p-3, 0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3,
  0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2, 0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2};
FUNCTION f32 exact_log(f32 x) {
  const u32 bits = AS_U32(x);
  const u32 shifted = bits - 0x3F330000u;
  const int i = (int)(shifted >> 19) % 16;
  const int k = (int)shifted >> 23;
  const f64 z = AS_F32(bits - (shifted & (0x1FFu << 23)));
  const f64 r = z * log_table[2 * i] - 1.0;
  const f64 y0 = log_table[2 * i + 1] + (f64)k * 0x1.62e42fefa39efp-1;
  const f64 r2 = r * r;
  f64 y = 0x1.5575b0be00b6ap-2 * r + -0x1.ffffef20a4123p-2;
  y = -0x1.00ea348b88334p-2 * r2 + y;
  return (f32)(y * r2 + (y0 + r));
}
// Returns the sine of x in [0, 2 * pi], or its cosine if `turns` is 1.
FUNCTION f32 exact_sine(f32 x, int turns) {
  const int n = ((int)((f64)x * 0x1.45F306DC9C883p+23) + 0x800000) >> 24;
  const f64 y = (f64)x - n * 0x1.921FB54442D18p0;
  const f64 y2 = y * y;
  f32 result;
  if (((n + turns) & 1) == 0) {
    const f64 y3 = y * y2;
    const f64 high = 0x1.1107605230bc4p-7 + y2 * -0x1.994eb3774cf24p-13;
    const f64 y7 = y3 * y2;
    result = (f32)((y + y3 * -0x1.555545995a603p-3) + y7 * high);
  } else {
    const f64 y4 = y2 * y2;
    const f64 high = -0x1.6c087e89a359dp-10 + y2 * 0x1.99343027bf8c3p-16;
    const f64 low = 1.0 + y2 * -0x1.ffffffd0c621cp-2;
    const f64 y6 = y4 * y2;
    result = (f32)((low + y4 * 0x1.55553e1068f19p-5) + y6 * high);
  }
  return ((n + turns) & 2) != 0 ? -result : result;
}
FUNCTION f32 exact_sqrt(f32 x) { return (f32)sqrt((f64)x); }
#define TWO_PI 6.28318530717958647692
#else
FUNCTION f32 exact_log(f32 x) { return log(x); }
FUNCTION f32 exact_sine(f32 x, int turns) { return turns == 1 ? cos(x) : sin(x); }
FUNCTION f32 exact_sqrt(f32 x) { return sqrt(x); }
#define TWO_PI 6.28318530717958647692f
#endif

#if TYPE == 1
FUNCTION void normal_pair(Words w, f64* pair) {
  f64 u = uniform_f64(w.at[0], w.at[1]);
  if (u < 1.0e-7) u = 1.0e-7;
  const f64 v = TWO_PI * uniform_f64(w.at[2], w.at[3]);
  const f64 radius = sqrt(-2.0 * log(u));
  pair[0] = sin(v) * radius;
  pair[1] = cos(v) * radius;
}
#else
FUNCTION void normal_pair(u32 x0, u32 x1, f32* pair) {
  f32 u = uniform_f32(x0);
  if (u < 1.0e-7f) u = 1.0e-7f;
  const f32 v = (f32)(TWO_PI * uniform_f32(x1));
  const f32 radius = exact_sqrt(-2.0f * exact_log(u));
  pair[0] = exact_sine(v, 0) * radius;
  pair[1] = exact_sine(v, 1) * radius;
}
#endif

FUNCTION void put(GLOBAL STORED(T)* y, index_t group, int i, index_t n, V v) {
  const index_t at = group * SIZE + i;
  if (at < n) STORE(T, y, at, v);
}

#if TYPE == 1 || (TYPE == 0 && !defined(HAS_DOUBLE))
// cdf has the running sums of the weights of `classes` classes for each row. Each number takes two
// words.
KERNEL(draw_classes)(GLOBAL const V* cdf, GLOBAL i32* narrow, GLOBAL i64* wide, Philox start,
                     int is_wide, index_t classes, index_t samples, index_t n) {
  FOR_EACH(i, n) {
    Philox g = start;
    skip(&g, (u64)i / 2);
    const Words w = draw(&g);
    const int first = (int)(i % 2) * 2;
#if TYPE == 1
    const V u = uniform_f64(w.at[first], w.at[first + 1]);
#else
    const V u = uniform_f32(w.at[first]);
#endif
    GLOBAL const V* row = cdf + i / samples * classes;
    const V wanted = u * row[classes - 1];
    index_t low = 0, high = classes;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (row[middle] > wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (is_wide != 0) {
      wide[i] = low;
    } else {
      narrow[i] = (i32)low;
    }
  }
}
#endif

#if TYPE < 4
KERNEL(uniform)(GLOBAL STORED(T)* y, Philox start, index_t n) {
  FOR_EACH(group, (n + SIZE - 1) / SIZE) {
    Philox g = start;
    skip(&g, (u64)group);
    const Words w = draw(&g);
    for (int i = 0; i < SIZE; ++i) {
#if TYPE == 0
      put(y, group, i, n, uniform_f32(w.at[i]));
#elif TYPE == 1
      put(y, group, i, n, uniform_f64(w.at[2 * i], w.at[2 * i + 1]));
#elif TYPE == 2
      put(y, group, i, n, f16_to_f32((u16)(0x3C00u | (w.at[i] & 0x3FFu))) - 1.0f);
#else
      put(y, group, i, n, bf16_to_f32((u16)(0x3F80u | (w.at[i] & 0x7Fu))) - 1.0f);
#endif
    }
  }
}
KERNEL(normal)(GLOBAL STORED(T)* y, Philox start, index_t n) {
  FOR_EACH(group, (n + SIZE - 1) / SIZE) {
    Philox g = start;
    skip(&g, (u64)group);
    const Words w = draw(&g);
    V pair[2];
#if TYPE == 1
    normal_pair(w, pair);
    for (int i = 0; i < 2; ++i) put(y, group, i, n, pair[i]);
#else
    for (int i = 0; i < 4; ++i) {
      if (i % 2 == 0) normal_pair(w.at[i], w.at[i + 1], pair);
      put(y, group, i, n, pair[i % 2]);
    }
#endif
  }
}
KERNEL(truncated_normal)(GLOBAL STORED(T)* y, Philox start, index_t n) {
  FOR_EACH(group, (n + SIZE - 1) / SIZE) {
    Philox g = start;
    skip(&g, (u64)group * (64 * SIZE));
    int made = 0;
    while (made < SIZE) {
      const Words w = draw(&g);
      for (int width = 0; width < SIZE / 2 && made < SIZE; ++width) {
        V pair[2];
#if TYPE == 1
        normal_pair(w, pair);
#else
        normal_pair(w.at[2 * width], w.at[2 * width + 1], pair);
#endif
        for (int i = 0; i < 2; ++i) {
          if (made < SIZE && fabs(pair[i]) < 2) put(y, group, made++, n, pair[i]);
        }
      }
    }
  }
}
#else
// Integers in [low, low + range), or all if range is 0.
KERNEL(uniform_int)(GLOBAL STORED(T)* y, Philox start, i64 low, u64 range, index_t n) {
  FOR_EACH(group, (n + SIZE - 1) / SIZE) {
    Philox g = start;
    skip(&g, (u64)group);
    const Words w = draw(&g);
    for (int i = 0; i < SIZE; ++i) {
#if TYPE == 4
      const u32 x = (u32)range == 0 ? w.at[i] : w.at[i] % (u32)range;
      put(y, group, i, n, (V)((u32)low + x));
#else
      u64 x = (u64)w.at[2 * i + 1] << 32 | w.at[2 * i];
      if (range != 0) x %= range;
      put(y, group, i, n, (V)((u64)low + x));
#endif
    }
  }
}
#endif
)"};

// Definitions: T, the tag of logits; W, that of the weights: f64, or f32 on devices without
// doubles. A work group of 128 items computes a row: exp(logits - largest) for finite logits,
// otherwise 0.
const Program kWeightsProgram = {"class weights", R"(
typedef VALUE(W) V;
KERNEL(class_weights)(GLOBAL const STORED(T)* logits, GLOBAL V* weights, index_t classes) {
  LOCAL V parts[128];
  LOCAL int known[128];
  const int item = LOCAL_ID(0);
  const index_t start = (index_t)GROUP_ID(0) * classes;
  V largest = 0;
  int is_known = 0;
  for (index_t i = item; i < classes; i += 128) {
    const V v = (V)LOAD(T, logits, start + i);
    if (isfinite(v) && (is_known == 0 || v > largest)) {
      largest = v;
      is_known = 1;
    }
  }
  parts[item] = largest;
  known[item] = is_known;
  BARRIER();
  for (int width = 64; width > 0; width /= 2) {
    if (item < width && known[item + width] != 0 &&
        (known[item] == 0 || parts[item + width] > parts[item])) {
      parts[item] = parts[item + width];
      known[item] = 1;
    }
    BARRIER();
  }
  largest = parts[0];
  for (index_t i = item; i < classes; i += 128) {
    const V v = (V)LOAD(T, logits, start + i);
    weights[start + i] = isfinite(v) ? exp(v - largest) : (V)0;
  }
}
)"};

}  // namespace ramet::gpu
