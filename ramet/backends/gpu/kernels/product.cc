#include <deque>

#include "ramet/backends/gpu/kernels/kernels.h"
#include "ramet/base/strings.h"

namespace ramet::gpu {

namespace {

// The positions of images, for convolutions and pooling.
constexpr std::string_view kWindowSource = R"(
typedef struct {
  i32 batch, in_channels, out_channels, groups;
  i32 in[3], filter[3], out[3], stride[3], dilation[3], pad[3];
  i32 channels_first;
} Window;
typedef struct { index_t image; int at[3]; } Pixel;
FUNCTION Pixel pixel_of(index_t i, int size1, int size2, index_t pixels) {
  Pixel p;
  p.image = i / pixels;
  const int rest = (int)(i - p.image * pixels);
  const int plane = size1 * size2;
  p.at[0] = rest / plane;
  p.at[1] = rest % plane / size2;
  p.at[2] = rest % size2;
  return p;
}
FUNCTION index_t image_at(int channels_first, int channels, index_t pixels, index_t image,
                          index_t pixel, int channel) {
  return channels_first ? (image * channels + channel) * pixels + pixel
                        : (image * pixels + pixel) * channels + channel;
}
FUNCTION index_t in_pixels(const Window* w) { return (index_t)w->in[0] * w->in[1] * w->in[2]; }
FUNCTION index_t out_pixels(const Window* w) { return (index_t)w->out[0] * w->out[1] * w->out[2]; }
FUNCTION index_t in_at(const Window* w, index_t image, int i0, int i1, int i2, int channel) {
  return image_at(w->channels_first, w->in_channels, in_pixels(w), image,
                  ((index_t)i0 * w->in[1] + i1) * w->in[2] + i2, channel);
}
FUNCTION index_t out_at(const Window* w, index_t image, int o0, int o1, int o2, int channel) {
  return image_at(w->channels_first, w->out_channels, out_pixels(w), image,
                  ((index_t)o0 * w->out[1] + o1) * w->out[2] + o2, channel);
}
)";

// Returns a source that uses the definitions above. It is never destroyed.
std::string_view WithWindows(std::string_view source) {
  static auto* const sources = new std::deque<std::string>;  // which keeps its elements in place
  return sources->emplace_back(StrCat(kWindowSource, source));
}

}  // namespace

// Definitions: T and S, the tags of operands and sums; Y, the tag of the result; KIND: 0 for a
// product of stacks of matrices, 1 for a convolution, 2 for its gradient for the input, 3 for that
// for the filter.
//
// A convolution is a product of matrices whose elements a() and b() find in the operands. A work
// group of 8 x 8 items computes 32 x 32 elements from blocks in local memory; each item keeps 4 x 4
// sums in registers. GROUP_ID(0) numbers the tiles of the result. GROUP_ID(1) is the number of the
// stack, or, for KIND 3, of the chunk of k that is summed into a result of its own.
const Program kProductProgram = {"product", WithWindows(R"(
typedef VALUE(S) V;
typedef struct {
  i64 sizes[6], a[6], b[6];
  i64 a_row, a_column, b_row, b_column;
  i32 rank, unused;
} Stacks;
#define SIDE 8
#define PER_ITEM 4
#define TILE 32
#define DEPTH 16

#if KIND == 0
typedef Stacks Geometry;
#else
typedef Window Geometry;
#endif
typedef struct { index_t a, b; } Start;

FUNCTION Start start_of(const Geometry* g, index_t stack) {
  Start s;
  s.a = 0;
  s.b = 0;
#if KIND == 0
  for (int d = g->rank - 1; d >= 0; --d) {
    const index_t next = stack / (index_t)g->sizes[d];
    const index_t at = stack - next * (index_t)g->sizes[d];
    s.a += at * (index_t)g->a[d];
    s.b += at * (index_t)g->b[d];
    stack = next;
  }
#endif
  return s;
}

FUNCTION V a_element(GLOBAL const STORED(T)* a, const Geometry* g, index_t start, index_t m,
                     index_t k) {
#if KIND == 0
  return (V)LOAD(T, a, start + m * (index_t)g->a_row + k * (index_t)g->a_column);
#elif KIND == 1 || KIND == 3
  const index_t pixel = KIND == 1 ? m : k;
  const index_t patch = KIND == 1 ? k : m;
  const Pixel o = pixel_of(pixel, g->out[1], g->out[2], out_pixels(g));
  const int channel = (int)(patch % g->in_channels);
  const Pixel f = pixel_of(patch / g->in_channels, g->filter[1], g->filter[2],
                           (index_t)g->filter[0] * g->filter[1] * g->filter[2]);
  int i[3];
  for (int d = 0; d < 3; ++d) {
    i[d] = o.at[d] * g->stride[d] - g->pad[d] + f.at[d] * g->dilation[d];
    if (i[d] < 0 || i[d] >= g->in[d]) return 0;
  }
  return (V)LOAD(T, a, in_at(g, o.image, i[0], i[1], i[2], channel));
#else
  const Pixel i = pixel_of(m, g->in[1], g->in[2], in_pixels(g));
  const int channel = (int)(k % g->out_channels);
  const Pixel f = pixel_of(k / g->out_channels, g->filter[1], g->filter[2],
                           (index_t)g->filter[0] * g->filter[1] * g->filter[2]);
  int o[3];
  for (int d = 0; d < 3; ++d) {
    const int at = i.at[d] + g->pad[d] - f.at[d] * g->dilation[d];
    o[d] = at / g->stride[d];
    if (at < 0 || o[d] * g->stride[d] != at || o[d] >= g->out[d]) return 0;
  }
  return (V)LOAD(T, a, out_at(g, i.image, o[0], o[1], o[2], channel));
#endif
}

FUNCTION V b_element(GLOBAL const STORED(T)* b, const Geometry* g, index_t start, index_t k,
                     index_t n) {
#if KIND == 0
  return (V)LOAD(T, b, start + k * (index_t)g->b_row + n * (index_t)g->b_column);
#elif KIND == 1
  return (V)LOAD(T, b, k * g->out_channels + n);
#elif KIND == 2
  const index_t tap = k / g->out_channels;
  const index_t channel = k - tap * g->out_channels;
  return (V)LOAD(T, b, (tap * g->in_channels + n) * g->out_channels + channel);
#else
  const Pixel o = pixel_of(k, g->out[1], g->out[2], out_pixels(g));
  return (V)LOAD(T, b, out_at(g, o.image, o.at[0], o.at[1], o.at[2], (int)n));
#endif
}

KERNEL(product)(GLOBAL const STORED(T)* RESTRICT a, GLOBAL const STORED(T)* RESTRICT b,
                GLOBAL STORED(Y)* RESTRICT y, Geometry g, index_t rows, index_t columns,
                index_t depth, index_t chunk) {
  LOCAL V a_block[DEPTH][TILE + 1];
  LOCAL V b_block[DEPTH][TILE + 1];
  const int column = LOCAL_ID(0);
  const int row = LOCAL_ID(1);
  const int item = row * SIDE + column;
  const index_t tiles = (columns + TILE - 1) / TILE;
  const index_t first_row = (index_t)GROUP_ID(0) / tiles * TILE;
  const index_t first_column = (index_t)GROUP_ID(0) % tiles * TILE;
  const index_t stack = (index_t)GROUP_ID(1);
  const Start start = start_of(&g, stack);
#if KIND == 3
  const index_t begin = stack * chunk;
  const index_t end = begin + chunk < depth ? begin + chunk : depth;
#else
  const index_t begin = 0;
  const index_t end = depth;
#endif
  V sums[PER_ITEM][PER_ITEM];
  for (int i = 0; i < PER_ITEM; ++i) {
    for (int j = 0; j < PER_ITEM; ++j) sums[i][j] = 0;
  }
  for (index_t block = begin; block < end; block += DEPTH) {
    for (int at = item; at < TILE * DEPTH; at += SIDE * SIDE) {
      const int a_row = at / DEPTH, a_k = at % DEPTH;
      const index_t r = first_row + a_row;
      const index_t ka = block + a_k;
      a_block[a_k][a_row] = r < rows && ka < end ? a_element(a, &g, start.a, r, ka) : 0;
      const int b_column = at % TILE, b_k = at / TILE;
      const index_t c = first_column + b_column;
      const index_t kb = block + b_k;
      b_block[b_k][b_column] = c < columns && kb < end ? b_element(b, &g, start.b, kb, c) : 0;
    }
    BARRIER();
    for (int k = 0; k < DEPTH; ++k) {
      V from_a[PER_ITEM];
      for (int i = 0; i < PER_ITEM; ++i) from_a[i] = a_block[k][row + i * SIDE];
      for (int j = 0; j < PER_ITEM; ++j) {
        const V from_b = b_block[k][column + j * SIDE];
        for (int i = 0; i < PER_ITEM; ++i) sums[i][j] += from_a[i] * from_b;
      }
    }
    BARRIER();
  }
  for (int i = 0; i < PER_ITEM; ++i) {
    for (int j = 0; j < PER_ITEM; ++j) {
      const index_t r = first_row + row + i * SIDE;
      const index_t c = first_column + column + j * SIDE;
      if (r >= rows || c >= columns) continue;
#if KIND == 0 || KIND == 3
      STORE(Y, y, (stack * rows + r) * columns + c, sums[i][j]);
#else
      const index_t pixels = KIND == 1 ? out_pixels(&g) : in_pixels(&g);
      STORE(Y, y, image_at(g.channels_first, (int)columns, pixels, r / pixels, r % pixels, (int)c),
            sums[i][j]);
#endif
    }
  }
}
)")};

// Convolutions of groups of channels, which include the depthwise ones: one item, or one work group
// for the filter, computes an element. Definitions: T and S, the tags of elements and sums.
const Program kGroupedProgram = {"grouped convolution", WithWindows(R"(
typedef VALUE(S) V;
#define FOR_TAPS(w)                                \
  for (int f0 = 0; f0 < (w).filter[0]; ++f0)       \
    for (int f1 = 0; f1 < (w).filter[1]; ++f1)     \
      for (int f2 = 0; f2 < (w).filter[2]; ++f2)
// Returns the position in the filter of a channel of the result and one of its group's inputs.
FUNCTION index_t filter_at(const Window* w, int f0, int f1, int f2, int in, int out) {
  const index_t tap = ((index_t)f0 * w->filter[1] + f1) * w->filter[2] + f2;
  return (tap * (w->in_channels / w->groups) + in) * w->out_channels + out;
}

KERNEL(forward)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* filter, GLOBAL STORED(T)* y,
                Window w, index_t n) {
  const int group_in = w.in_channels / w.groups;
  const int group_out = w.out_channels / w.groups;
  FOR_EACH(i, n) {
    const int channel = (int)(i % w.out_channels);
    const Pixel o = pixel_of(i / w.out_channels, w.out[1], w.out[2], out_pixels(&w));
    const int first = channel / group_out * group_in;
    V sum = 0;
    FOR_TAPS(w) {
      const int i0 = o.at[0] * w.stride[0] - w.pad[0] + f0 * w.dilation[0];
      const int i1 = o.at[1] * w.stride[1] - w.pad[1] + f1 * w.dilation[1];
      const int i2 = o.at[2] * w.stride[2] - w.pad[2] + f2 * w.dilation[2];
      if (i0 < 0 || i0 >= w.in[0] || i1 < 0 || i1 >= w.in[1] || i2 < 0 || i2 >= w.in[2]) continue;
      for (int c = 0; c < group_in; ++c) {
        sum += (V)LOAD(T, x, in_at(&w, o.image, i0, i1, i2, first + c)) *
               (V)LOAD(T, filter, filter_at(&w, f0, f1, f2, c, channel));
      }
    }
    STORE(T, y, out_at(&w, o.image, o.at[0], o.at[1], o.at[2], channel), sum);
  }
}

KERNEL(backprop_input)(GLOBAL const STORED(T)* filter, GLOBAL const STORED(T)* dy,
                       GLOBAL STORED(T)* dx, Window w, index_t n) {
  const int group_in = w.in_channels / w.groups;
  const int group_out = w.out_channels / w.groups;
  FOR_EACH(i, n) {
    const int channel = (int)(i % w.in_channels);
    const Pixel p = pixel_of(i / w.in_channels, w.in[1], w.in[2], in_pixels(&w));
    const int first = channel / group_in * group_out;
    V sum = 0;
    FOR_TAPS(w) {
      const int a0 = p.at[0] + w.pad[0] - f0 * w.dilation[0];
      const int a1 = p.at[1] + w.pad[1] - f1 * w.dilation[1];
      const int a2 = p.at[2] + w.pad[2] - f2 * w.dilation[2];
      const int o0 = a0 / w.stride[0], o1 = a1 / w.stride[1], o2 = a2 / w.stride[2];
      if (a0 < 0 || a1 < 0 || a2 < 0 || o0 * w.stride[0] != a0 || o1 * w.stride[1] != a1 ||
          o2 * w.stride[2] != a2 || o0 >= w.out[0] || o1 >= w.out[1] || o2 >= w.out[2]) {
        continue;
      }
      for (int c = 0; c < group_out; ++c) {
        sum += (V)LOAD(T, dy, out_at(&w, p.image, o0, o1, o2, first + c)) *
               (V)LOAD(T, filter, filter_at(&w, f0, f1, f2, channel % group_in, first + c));
      }
    }
    STORE(T, dx, in_at(&w, p.image, p.at[0], p.at[1], p.at[2], channel), sum);
  }
}

KERNEL(backprop_filter)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* dy,
                        GLOBAL STORED(T)* dfilter, Window w, index_t unused) {
  LOCAL V parts[128];
  const int group_in = w.in_channels / w.groups;
  const int group_out = w.out_channels / w.groups;
  const index_t at = (index_t)GROUP_ID(0);
  const int out = (int)(at % w.out_channels);
  const index_t patch = at / w.out_channels;
  const int in = (int)(patch % group_in) + out / group_out * group_in;
  const Pixel f = pixel_of(patch / group_in, w.filter[1], w.filter[2],
                           (index_t)w.filter[0] * w.filter[1] * w.filter[2]);
  const index_t pixels = out_pixels(&w) * w.batch;
  V sum = 0;
  for (index_t i = LOCAL_ID(0); i < pixels; i += 128) {
    const Pixel o = pixel_of(i, w.out[1], w.out[2], out_pixels(&w));
    const int i0 = o.at[0] * w.stride[0] - w.pad[0] + f.at[0] * w.dilation[0];
    const int i1 = o.at[1] * w.stride[1] - w.pad[1] + f.at[1] * w.dilation[1];
    const int i2 = o.at[2] * w.stride[2] - w.pad[2] + f.at[2] * w.dilation[2];
    if (i0 < 0 || i0 >= w.in[0] || i1 < 0 || i1 >= w.in[1] || i2 < 0 || i2 >= w.in[2]) continue;
    sum += (V)LOAD(T, x, in_at(&w, o.image, i0, i1, i2, in)) *
           (V)LOAD(T, dy, out_at(&w, o.image, o.at[0], o.at[1], o.at[2], out));
  }
  parts[LOCAL_ID(0)] = sum;
  BARRIER();
  for (int width = 64; width > 0; width /= 2) {
    if (LOCAL_ID(0) < width) parts[LOCAL_ID(0)] += parts[LOCAL_ID(0) + width];
    BARRIER();
  }
  if (LOCAL_ID(0) == 0) STORE(T, dfilter, at, parts[0]);
}
)")};

// Definitions: T and S, the tags of elements and sums; LOWEST, the smallest value of T. The
// channels of a Window for pooling are in_channels and out_channels both.
const Program kPoolProgram = {"pool", WithWindows(R"(
typedef VALUE(S) V;
typedef struct { int begin[3], end[3]; } Range;
FUNCTION Range range_of(const Window* w, Pixel o) {
  Range r;
  for (int d = 0; d < 3; ++d) {
    const int first = o.at[d] * w->stride[d] - w->pad[d];
    const int last = first + w->filter[d];
    r.begin[d] = first > 0 ? first : 0;
    r.end[d] = last < w->in[d] ? last : w->in[d];
  }
  return r;
}
#define FOR_RANGE(r)                                       \
  for (int i0 = (r).begin[0]; i0 < (r).end[0]; ++i0)       \
    for (int i1 = (r).begin[1]; i1 < (r).end[1]; ++i1)     \
      for (int i2 = (r).begin[2]; i2 < (r).end[2]; ++i2)
// Returns the position of the first of the largest elements of a window, or -1 for an empty one.
FUNCTION index_t largest_at(GLOBAL const STORED(T)* x, const Window* w, Pixel o, int channel) {
  const Range r = range_of(w, o);
  index_t best_at = -1;
  V best = 0;
  FOR_RANGE(r) {
    const index_t at = in_at(w, o.image, i0, i1, i2, channel);
    const V v = (V)LOAD(T, x, at);
    if (best_at < 0 || v > best) {
      best = v;
      best_at = at;
    }
  }
  return best_at;
}
// The windows that contain an element of the input, by dimension.
FUNCTION Range windows_of(const Window* w, Pixel p) {
  Range r;
  for (int d = 0; d < 3; ++d) {
    const int at = p.at[d] + w->pad[d];
    const int after = at - w->filter[d];
    r.begin[d] = after < 0 ? 0 : after / w->stride[d] + 1;
    const int end = at / w->stride[d] + 1;
    r.end[d] = end < w->out[d] ? end : w->out[d];
  }
  return r;
}
FUNCTION Pixel pixel(index_t image, int a, int b, int c) {
  Pixel p;
  p.image = image;
  p.at[0] = a;
  p.at[1] = b;
  p.at[2] = c;
  return p;
}
#define OUTPUT_OF(i)                                                   \
  const int channel = (int)(i % w.out_channels);                       \
  const Pixel o = pixel_of(i / w.out_channels, w.out[1], w.out[2], out_pixels(&w)); \
  const index_t to = out_at(&w, o.image, o.at[0], o.at[1], o.at[2], channel);
#define INPUT_OF(i)                                                    \
  const int channel = (int)(i % w.in_channels);                        \
  const Pixel p = pixel_of(i / w.in_channels, w.in[1], w.in[2], in_pixels(&w)); \
  const index_t to = in_at(&w, p.image, p.at[0], p.at[1], p.at[2], channel);

KERNEL(max_pool)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, Window w, index_t n) {
  FOR_EACH(i, n) {
    OUTPUT_OF(i)
    const Range r = range_of(&w, o);
    V best = LOWEST;
    FOR_RANGE(r) {
      const V v = (V)LOAD(T, x, in_at(&w, o.image, i0, i1, i2, channel));
      if (v > best) best = v;
    }
    STORE(T, y, to, best);
  }
}
KERNEL(max_grad)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* dy, GLOBAL STORED(T)* dx,
                 Window w, index_t n) {
  FOR_EACH(i, n) {
    INPUT_OF(i)
    const Range r = windows_of(&w, p);
    V sum = 0;
    FOR_RANGE(r) {
      if (largest_at(x, &w, pixel(p.image, i0, i1, i2), channel) == to) {
        sum += (V)LOAD(T, dy, out_at(&w, p.image, i0, i1, i2, channel));
      }
    }
    STORE(T, dx, to, sum);
  }
}
KERNEL(max_grad_grad)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* ddx,
                      GLOBAL STORED(T)* ddy, Window w, index_t n) {
  FOR_EACH(i, n) {
    OUTPUT_OF(i)
    const index_t at = largest_at(x, &w, o, channel);
    STORE(T, ddy, to, at < 0 ? 0 : (V)LOAD(T, ddx, at));
  }
}
// The indices are i32 or i64.
KERNEL(max_pool_argmax)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, GLOBAL i32* narrow,
                        GLOBAL i64* wide, Window w, int is_wide, int in_batch, index_t n) {
  FOR_EACH(i, n) {
    OUTPUT_OF(i)
    const index_t at = largest_at(x, &w, o, channel);
    const index_t start = in_batch != 0 ? 0 : o.image * in_pixels(&w) * w.in_channels;
    y[to] = x[at];
    if (is_wide != 0) {
      wide[to] = at - start;
    } else {
      narrow[to] = (i32)(at - start);
    }
  }
}
// Turns indices in images into positions of elements, or -1.
KERNEL(argmax_positions)(GLOBAL const i32* narrow, GLOBAL const i64* wide, GLOBAL i64* positions,
                         Window w, int is_wide, int in_batch, index_t n) {
  const i64 image = (i64)in_pixels(&w) * w.in_channels;
  const i64 limit = in_batch != 0 ? image * w.batch : image;
  const index_t pooled = out_pixels(&w) * w.out_channels;
  FOR_EACH(i, n) {
    const i64 at = is_wide != 0 ? wide[i] : narrow[i];
    const i64 start = in_batch != 0 ? 0 : i / pooled * image;
    positions[i] = at >= 0 && at < limit ? start + at : -1;
  }
}
KERNEL(avg_pool)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, Window w, index_t n) {
  FOR_EACH(i, n) {
    OUTPUT_OF(i)
    const Range r = range_of(&w, o);
    V sum = 0;
    int count = 0;
    FOR_RANGE(r) {
      sum += (V)LOAD(T, x, in_at(&w, o.image, i0, i1, i2, channel));
      ++count;
    }
    STORE(T, y, to, sum / (V)count);
  }
}
KERNEL(avg_grad)(GLOBAL const STORED(T)* dy, GLOBAL STORED(T)* dx, Window w, index_t n) {
  FOR_EACH(i, n) {
    INPUT_OF(i)
    const Range windows = windows_of(&w, p);
    V sum = 0;
    FOR_RANGE(windows) {
      const Range r = range_of(&w, pixel(p.image, i0, i1, i2));
      const int count = (r.end[0] - r.begin[0]) * (r.end[1] - r.begin[1]) * (r.end[2] - r.begin[2]);
      sum += (V)LOAD(T, dy, out_at(&w, p.image, i0, i1, i2, channel)) / (V)count;
    }
    STORE(T, dx, to, sum);
  }
}
)")};

}  // namespace ramet::gpu
