#include "ramet/linalg/pooling.h"

#include <gtest/gtest.h>

#include <vector>

#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

// Returns a two-dimensional geometry with windows clipped at the image's border.
PoolGeometry Geometry(int64_t size, int64_t window, int64_t stride, int64_t pad, int64_t channels) {
  PoolGeometry g{.batch = 2, .channels = channels};
  for (int d = 1; d < 3; ++d) {
    g.in[d] = size;
    g.window[d] = window;
    g.stride[d] = stride;
    g.pad[d] = pad;
    g.out[d] = (size + 2 * pad - window) / stride + 1;
  }
  return g;
}

// Calls visit(output element, input element) for all pixels of all windows, in order.
template <class Visit>
void ForPairs(const PoolGeometry& g, Visit&& visit) {
  for (int64_t p = 0; p < g.batch * g.out_pixels(); ++p) {
    const int64_t image = p / g.out_pixels(), y = p / g.out[2] % g.out[1], x = p % g.out[2];
    for (int64_t i = 0; i < g.window[1] * g.window[2]; ++i) {
      const int64_t row = y * g.stride[1] - g.pad[1] + i / g.window[2];
      const int64_t column = x * g.stride[2] - g.pad[2] + i % g.window[2];
      if (row < 0 || row >= g.in[1] || column < 0 || column >= g.in[2]) continue;
      const int64_t pixel = (image * g.in[1] + row) * g.in[2] + column;
      for (int64_t c = 0; c < g.channels; ++c) visit(p * g.channels + c, pixel * g.channels + c);
    }
  }
}

template <class T>
void CheckMaxGrad(const PoolGeometry& g) {
  const int64_t in = g.batch * g.in_pixels() * g.channels;
  const int64_t out = g.batch * g.out_pixels() * g.channels;
  std::vector<T> x, dy;
  for (const double v : Noise<double>(in, 1)) x.push_back(static_cast<T>(v * 4));  // with ties
  for (const double v : Noise<double>(out, 2)) dy.push_back(static_cast<T>(v * 50));
  std::vector<int64_t> largest(out, -1);
  ForPairs(g, [&](int64_t o, int64_t i) {
    if (largest[o] < 0 || x[i] > x[largest[o]]) largest[o] = i;
  });
  std::vector<T> want(in, T(0)), dx(in, T(77));
  for (int64_t o = 0; o < out; ++o) {
    if (largest[o] >= 0) want[largest[o]] = static_cast<T>(want[largest[o]] + dy[o]);
  }
  MaxPoolGrad(TypeOf<T>, g, x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, want) << g.in[1] << " " << g.window[1] << " " << g.stride[1] << " " << g.channels;
}

void CheckAverage(const PoolGeometry& g) {
  const int64_t in = g.batch * g.in_pixels() * g.channels;
  const int64_t out = g.batch * g.out_pixels() * g.channels;
  const std::vector<float> x = Noise<float>(in, 3), dy = Noise<float>(out, 4);
  std::vector<double> size(out), mean(out), want(in);
  ForPairs(g, [&](int64_t o, int64_t) { ++size[o]; });
  ForPairs(g, [&](int64_t o, int64_t i) { mean[o] += x[i] / size[o], want[i] += dy[o] / size[o]; });
  std::vector<float> y(out), dx(in, 77);
  AvgPool(Type::kFloat, g, x.data(), y.data());
  AvgPoolGrad(Type::kFloat, g, dy.data(), dx.data());
  for (int64_t o = 0; o < out; ++o) ASSERT_NEAR(y[o], size[o] > 0 ? mean[o] : y[o], 1e-5);
  for (int64_t i = 0; i < in; ++i) ASSERT_NEAR(dx[i], want[i], 1e-5);
}

TEST(Pooling, AgreesWithTheDefinition) {
  AtEachLevel([] {
    for (const int64_t channels : {1, 3, 16, 37}) {
      for (const PoolGeometry& g : {Geometry(8, 2, 2, 0, channels), Geometry(9, 2, 2, 0, channels),
                                    Geometry(9, 3, 2, 1, channels), Geometry(9, 2, 3, 0, channels),
                                    Geometry(12, 9, 1, 4, channels)}) {
        CheckMaxGrad<float>(g);
        CheckMaxGrad<double>(g);
        CheckMaxGrad<int8_t>(g);
        CheckMaxGrad<int32_t>(g);
        CheckAverage(g);
      }
    }
  });
}

TEST(Pooling, ALeadingNaNIsTheLargest) {
  const PoolGeometry g = Geometry(2, 2, 2, 0, 16);
  std::vector<float> x(2 * 4 * 16, 1.0f), dx(2 * 4 * 16);
  x[0] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> dy(2 * 16, 5.0f);
  MaxPoolGrad(Type::kFloat, g, x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx[0], 5.0f);
  EXPECT_EQ(dx[16], 0.0f);
}

}  // namespace
}  // namespace ramet::linalg
