#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/tables.h"

// Depthwise convolutions as loops over channels, which are contiguous.

namespace ramet::linalg::RAMET_LEVEL {
namespace {

template <class T>
struct Operands {
  T* x;
  T* filter;
  T* y;
  int64_t channels;
};

template <class T>
Operands<T> OperandsOf(const DepthwiseArgs& a) {
  return {static_cast<T*>(a.o.x), static_cast<T*>(a.o.filter), static_cast<T*>(a.o.y),
          a.g.in_channels};
}

// sum += a * b, elementwise.
template <class T>
void MultiplyAdd(int64_t n, const T* __restrict a, const T* __restrict b, T* __restrict sum) {
  for (int64_t c = 0; c < n; ++c) sum[c] += a[c] * b[c];
}

template <class T>
void Zero(T* p, int64_t n) {
  for (int64_t i = 0; i < n; ++i) p[i] = 0;
}

template <class T>
void Forward(const DepthwiseArgs& a, int64_t begin, int64_t end) {
  const ConvGeometry& g = a.g;
  const Operands<T> o = OperandsOf<T>(a);
  const int64_t width = o.channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / g.out[1];
    const int64_t top = row % g.out[1] * g.stride[1] - g.pad[1];
    for (int64_t column = 0; column < g.out[2]; ++column) {
      const int64_t left = column * g.stride[2] - g.pad[2];
      T* y = o.y + (row * g.out[2] + column) * width;
      Zero(y, width);
      for (int64_t i = 0; i < g.filter[1]; ++i) {
        const int64_t h = top + i * g.dilation[1];
        if (h < 0 || h >= g.in[1]) continue;
        for (int64_t k = 0; k < g.filter[2]; ++k) {
          const int64_t w = left + k * g.dilation[2];
          if (w < 0 || w >= g.in[2]) continue;
          MultiplyAdd(width, o.x + ((n * g.in[1] + h) * g.in[2] + w) * width,
                      o.filter + (i * g.filter[2] + k) * width, y);
        }
      }
    }
  }
}

// Returns the output position along dimension d that reads input position `at` with tap `tap`, or
// -1.
int64_t OutputAt(const ConvGeometry& g, int d, int64_t at, int64_t tap) {
  const int64_t steps = at + g.pad[d] - tap * g.dilation[d];
  if (steps < 0 || steps % g.stride[d] != 0) return -1;
  const int64_t position = steps / g.stride[d];
  return position < g.out[d] ? position : -1;
}

template <class T>
void BackpropInput(const DepthwiseArgs& a, int64_t begin, int64_t end) {
  const ConvGeometry& g = a.g;
  const Operands<T> o = OperandsOf<T>(a);
  const int64_t width = o.channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / g.in[1];
    for (int64_t column = 0; column < g.in[2]; ++column) {
      T* x = o.x + (row * g.in[2] + column) * width;
      Zero(x, width);
      for (int64_t i = 0; i < g.filter[1]; ++i) {
        const int64_t h = OutputAt(g, 1, row % g.in[1], i);
        if (h < 0) continue;
        for (int64_t k = 0; k < g.filter[2]; ++k) {
          const int64_t w = OutputAt(g, 2, column, k);
          if (w < 0) continue;
          MultiplyAdd(width, o.y + ((n * g.out[1] + h) * g.out[2] + w) * width,
                      o.filter + (i * g.filter[2] + k) * width, x);
        }
      }
    }
  }
}

template <class T>
void BackpropFilter(const DepthwiseArgs& a, int64_t begin, int64_t end) {
  const ConvGeometry& g = a.g;
  const Operands<T> o = OperandsOf<T>(a);
  const int64_t width = o.channels;
  for (int64_t tap = begin; tap < end; ++tap) {
    T* filter = o.filter + tap * width;
    Zero(filter, width);
    const int64_t down = tap / g.filter[2] * g.dilation[1] - g.pad[1];
    const int64_t right = tap % g.filter[2] * g.dilation[2] - g.pad[2];
    for (int64_t row = 0; row < g.batch * g.out[1]; ++row) {
      const int64_t h = row % g.out[1] * g.stride[1] + down;
      if (h < 0 || h >= g.in[1]) continue;
      const T* x = o.x + (row / g.out[1] * g.in[1] + h) * g.in[2] * width;
      for (int64_t column = 0; column < g.out[2]; ++column) {
        const int64_t w = column * g.stride[2] + right;
        if (w < 0 || w >= g.in[2]) continue;
        MultiplyAdd(width, x + w * width, o.y + (row * g.out[2] + column) * width, filter);
      }
    }
  }
}

template <class T>
void AddFor(KernelTable& table, Type type) {
  const int t = static_cast<int>(type);
  table.conv.depthwise[static_cast<int>(ConvKind::kForward)][t] = &Forward<T>;
  table.conv.depthwise[static_cast<int>(ConvKind::kBackpropInput)][t] = &BackpropInput<T>;
  table.conv.depthwise[static_cast<int>(ConvKind::kBackpropFilter)][t] = &BackpropFilter<T>;
}

}  // namespace

void AddDepthwise(KernelTable& table) {
  AddFor<float>(table, Type::kFloat);
  AddFor<double>(table, Type::kDouble);
}

}  // namespace ramet::linalg::RAMET_LEVEL
