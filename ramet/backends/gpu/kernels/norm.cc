#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T, the tag of the images. All other operands are floats, one per channel.
const Program kNormProgram = {"batch norm", R"(
KERNEL(normalize_batch)(GLOBAL const STORED(T)* x, GLOBAL const f32* mean, GLOBAL const f32* variance,
                  GLOBAL const f32* scale, GLOBAL const f32* offset, GLOBAL STORED(T)* y,
                  f32 epsilon, index_t channels, index_t inner, index_t n) {
  FOR_EACH(i, n) {
    const index_t c = i / inner % channels;
    const f32 factor = scale[c] / sqrt(variance[c] + epsilon);
    STORE(T, y, i, (LOAD(T, x, i) - mean[c]) * factor + offset[c]);
  }
}
// Averages the moments of a batch with the old ones, unless `factor` is 1.
KERNEL(running)(GLOBAL const f32* old_mean, GLOBAL const f32* old_variance,
                GLOBAL const f32* batch_mean, GLOBAL const f32* batch_variance, GLOBAL f32* mean,
                GLOBAL f32* variance, f32 factor, f32 unbiased, index_t channels) {
  FOR_EACH(c, channels) {
    f32 m = batch_mean[c];
    f32 v = batch_variance[c] * unbiased;
    if (factor != 1.0f) {
      m = (1.0f - factor) * old_mean[c] + factor * m;
      v = (1.0f - factor) * old_variance[c] + factor * v;
    }
    mean[c] = m;
    variance[c] = v;
  }
}
// The moments depend on x if count > 0, the number of elements per channel.
KERNEL(x_gradient)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* dy, GLOBAL const f32* mean,
                   GLOBAL const f32* variance, GLOBAL const f32* scale, GLOBAL const f32* dscale,
                   GLOBAL const f32* doffset, GLOBAL STORED(T)* dx, f32 epsilon, index_t channels,
                   index_t inner, index_t count, index_t n) {
  FOR_EACH(i, n) {
    const index_t c = i / inner % channels;
    const f32 root = sqrt(variance[c] + epsilon);
    f32 v = LOAD(T, dy, i);
    if (count > 0) {
      v -= doffset[c] / (f32)count + (LOAD(T, x, i) - mean[c]) / root * (dscale[c] / (f32)count);
    }
    STORE(T, dx, i, scale[c] / root * v);
  }
}
)"};

// Definitions: T, the tag of the images.
//
// A work group of 128 items works on 128 / lanes channels, `lanes` items on each. Items next to
// each other have neighboring channels if the channels are the last dimension (inner is 1),
// otherwise neighboring pixels. The groups of dimension 1 each take a chunk of the `count` elements
// of a channel; join_moments and join_sums join the results of chunks.
const Program kNormSumsProgram = {"batch norm sums", R"(
#define PLACE(neighbors_are_lanes)                                        \
  const int item = LOCAL_ID(0);                                           \
  const int per_group = 128 / lanes;                                      \
  const int lane = (neighbors_are_lanes) ? item % lanes : item / per_group; \
  const int at = (neighbors_are_lanes) ? item / lanes : item % per_group; \
  const int step = (neighbors_are_lanes) ? 1 : per_group;                 \
  const index_t channel = (index_t)GROUP_ID(0) * per_group + at;
#define CHUNK                                                             \
  const index_t begin = (index_t)GROUP_ID(1) * chunk;                     \
  const index_t end = channel >= channels ? begin                         \
                      : begin + chunk < count ? begin + chunk : count;
#define POSITION(i) ((i) / inner * channels * inner + channel * inner + (i) % inner)

// The count, the mean and the sum of squared differences from the mean of some elements.
typedef struct { f32 count, mean, squares; } Moments;
FUNCTION Moments joined(Moments a, Moments b) {
  if (b.count == 0) return a;
  Moments m;
  m.count = a.count + b.count;
  const f32 share = b.count / m.count;
  const f32 delta = b.mean - a.mean;
  m.mean = a.mean + delta * share;
  m.squares = a.squares + b.squares + delta * delta * a.count * share;
  return m;
}
FUNCTION Moments shared(LOCAL_POINTER Moments* parts, int item, int lane, int lanes, int step,
                        Moments m) {
  parts[item] = m;
  BARRIER();
  for (int width = lanes / 2; width > 0; width /= 2) {
    if (lane < width) parts[item] = joined(parts[item], parts[item + width * step]);
    BARRIER();
  }
  return parts[item];
}
// Differences from the first element are summed, which keeps their digits.
KERNEL(moments)(GLOBAL const STORED(T)* x, GLOBAL f32* means, GLOBAL f32* squares, index_t channels,
                index_t inner, index_t count, index_t chunk, int lanes) {
  LOCAL Moments parts[128];
  PLACE(inner > 1)
  CHUNK
  f32 first = 0;
  f32 sum = 0;
  f32 sum_squares = 0;
  index_t n = 0;
  for (index_t i = begin + lane; i < end; i += lanes) {
    const f32 v = LOAD(T, x, POSITION(i));
    if (n == 0) first = v;
    sum += v - first;
    sum_squares += (v - first) * (v - first);
    ++n;
  }
  Moments m;
  m.count = (f32)n;
  m.mean = n > 0 ? first + sum / m.count : 0;
  m.squares = n > 0 ? sum_squares - sum * sum / m.count : 0;
  m = shared(parts, item, lane, lanes, step, m);
  if (lane == 0 && channel < channels) {
    const index_t to = (index_t)GROUP_ID(1) * channels + channel;
    means[to] = m.mean;
    squares[to] = chunk < count ? m.squares : m.squares / (f32)count;
  }
}
KERNEL(join_moments)(GLOBAL const f32* means, GLOBAL const f32* squares, GLOBAL f32* mean,
                     GLOBAL f32* variance, index_t channels, index_t count, index_t chunk,
                     index_t chunks, int lanes) {
  LOCAL Moments parts[128];
  PLACE(0)
  Moments m;
  m.count = 0;
  m.mean = 0;
  m.squares = 0;
  const index_t end = channel < channels ? chunks : 0;
  // Four are loaded before they are joined.
  for (index_t first = lane; first < end; first += 4 * lanes) {
    f32 part_means[4], part_squares[4];
    UNROLL for (int k = 0; k < 4; ++k) {
      const index_t j = first + k * lanes < end ? first + k * lanes : first;
      part_means[k] = means[j * channels + channel];
      part_squares[k] = squares[j * channels + channel];
    }
    UNROLL for (int k = 0; k < 4; ++k) {
      const index_t left = first + k * lanes < end ? count - (first + k * lanes) * chunk : 0;
      Moments other;
      other.count = (f32)(left < chunk ? left : chunk);
      other.mean = part_means[k];
      other.squares = part_squares[k];
      m = joined(m, other);
    }
  }
  m = shared(parts, item, lane, lanes, step, m);
  if (lane == 0 && channel < channels) {
    mean[channel] = m.mean;
    variance[channel] = m.squares / (f32)count;
  }
}

// The sums of dy, and of dy * (x - mean).
FUNCTION void share_sums(LOCAL_POINTER f32* sums, LOCAL_POINTER f32* products, int item, int lane,
                         int lanes, int step, f32 sum, f32 product) {
  sums[item] = sum;
  products[item] = product;
  BARRIER();
  for (int width = lanes / 2; width > 0; width /= 2) {
    if (lane < width) {
      sums[item] += sums[item + width * step];
      products[item] += products[item + width * step];
    }
    BARRIER();
  }
}
KERNEL(gradient_sums)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* dy, GLOBAL const f32* mean,
                      GLOBAL const f32* variance, GLOBAL f32* dscale, GLOBAL f32* doffset,
                      f32 epsilon, index_t channels, index_t inner, index_t count, index_t chunk,
                      int lanes) {
  LOCAL f32 sums[128];
  LOCAL f32 products[128];
  PLACE(inner > 1)
  CHUNK
  const f32 center = channel < channels ? mean[channel] : 0;
  f32 sum = 0;
  f32 product = 0;
  for (index_t i = begin + lane; i < end; i += lanes) {
    const index_t p = POSITION(i);
    const f32 v = LOAD(T, dy, p);
    sum += v;
    product += v * (LOAD(T, x, p) - center);
  }
  share_sums(sums, products, item, lane, lanes, step, sum, product);
  if (lane == 0 && channel < channels) {
    const index_t to = (index_t)GROUP_ID(1) * channels + channel;
    const f32 root = chunk < count ? 1.0f : sqrt(variance[channel] + epsilon);
    doffset[to] = sums[item];
    dscale[to] = products[item] / root;
  }
}
KERNEL(join_sums)(GLOBAL const f32* part_sums, GLOBAL const f32* part_products,
                  GLOBAL const f32* variance, GLOBAL f32* dscale, GLOBAL f32* doffset, f32 epsilon,
                  index_t channels, index_t chunks, int lanes) {
  LOCAL f32 sums[128];
  LOCAL f32 products[128];
  PLACE(0)
  f32 sum = 0;
  f32 product = 0;
  const index_t end = channel < channels ? chunks : 0;  // a loop with one condition is unrolled
  for (index_t j = lane; j < end; j += lanes) {
    sum += part_sums[j * channels + channel];
    product += part_products[j * channels + channel];
  }
  share_sums(sums, products, item, lane, lanes, step, sum, product);
  if (lane == 0 && channel < channels) {
    doffset[channel] = sums[item];
    dscale[channel] = products[item] / sqrt(variance[channel] + epsilon);
  }
}
)"};

}  // namespace ramet::gpu
