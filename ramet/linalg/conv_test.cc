#include "ramet/linalg/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "ramet/linalg/conv_columns.h"
#include "ramet/linalg/conv_onednn.h"
#include "ramet/linalg/parallel.h"

namespace ramet::linalg {
namespace {

// A convolution of images with SAME-like padding.
ConvGeometry Images(int64_t batch, int64_t size, int64_t channels, int64_t window, int64_t out,
                    int64_t stride = 1, int64_t groups = 1, int64_t dilation = 1) {
  ConvGeometry g;
  g.batch = batch;
  g.in_channels = channels;
  g.out_channels = out;
  g.groups = groups;
  for (int d = 1; d < 3; ++d) {
    g.in[d] = size + d;
    g.filter[d] = window;
    g.stride[d] = stride;
    g.dilation[d] = dilation;
    g.out[d] = (g.in[d] + stride - 1) / stride;
    const int64_t missing = (g.out[d] - 1) * stride + (window - 1) * dilation + 1 - g.in[d];
    g.pad[d] = std::max<int64_t>(0, missing) / 2;
  }
  return g;
}

int64_t PixelAt(const ConvGeometry& g, bool input, int64_t n, int64_t h, int64_t w, int64_t c) {
  const int64_t* sizes = input ? g.in : g.out;
  const int64_t channels = input ? g.in_channels : g.out_channels;
  if (g.channels_first) return ((n * channels + c) * sizes[1] + h) * sizes[2] + w;
  return ((n * sizes[1] + h) * sizes[2] + w) * channels + c;
}

// Calls visit(x, filter, y) with the element indices of each product in the sum.
template <class Visit>
void ForProducts(const ConvGeometry& g, Visit&& visit) {
  const int64_t group_in = g.in_channels / g.groups, group_out = g.out_channels / g.groups;
  for (int64_t n = 0; n < g.batch; ++n)
    for (int64_t i = 0; i < g.out[1]; ++i)
      for (int64_t j = 0; j < g.out[2]; ++j)
        for (int64_t k = 0; k < g.filter[1]; ++k)
          for (int64_t l = 0; l < g.filter[2]; ++l) {
            const int64_t h = i * g.stride[1] - g.pad[1] + k * g.dilation[1];
            const int64_t w = j * g.stride[2] - g.pad[2] + l * g.dilation[2];
            if (h < 0 || h >= g.in[1] || w < 0 || w >= g.in[2]) continue;
            for (int64_t o = 0; o < g.out_channels; ++o)
              for (int64_t c = 0; c < group_in; ++c)
                visit(PixelAt(g, true, n, h, w, o / group_out * group_in + c),
                      ((k * g.filter[2] + l) * group_in + c) * g.out_channels + o,
                      PixelAt(g, false, n, i, j, o));
          }
}

std::vector<float> Made(int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> v(n);
  for (float& e : v) e = static_cast<float>(static_cast<int>(random() % 33) - 16) / 8;
  return v;
}

struct Results {
  std::vector<float> y, dx, df;
};

Results Computed(const ConvGeometry& g) {
  const auto x = Made(g.in_elements(), 1), f = Made(g.filter_elements(), 2),
             dy = Made(g.out_elements(), 3);
  Results r{dy, x, f};
  Conv(Type::kFloat, g, x.data(), f.data(), r.y.data());
  ConvBackpropInput(Type::kFloat, g, f.data(), dy.data(), r.dx.data());
  ConvBackpropFilter(Type::kFloat, g, x.data(), dy.data(), r.df.data());
  return r;
}

void ExpectNear(const std::vector<float>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-4 * (1 + std::abs(expected[i]))) << "element " << i;
  }
}

void ExpectSums(const ConvGeometry& g, const Results& found) {
  const auto x = Made(g.in_elements(), 1), f = Made(g.filter_elements(), 2),
             dy = Made(g.out_elements(), 3);
  std::vector<double> y(dy.size()), dx(x.size()), df(f.size());
  ForProducts(g, [&](int64_t i, int64_t j, int64_t k) {
    y[k] += double{x[i]} * f[j];
    dx[i] += double{dy[k]} * f[j];
    df[j] += double{x[i]} * dy[k];
  });
  ExpectNear(found.y, y);
  ExpectNear(found.dx, dx);
  ExpectNear(found.df, df);
}

std::vector<ConvGeometry> Geometries() {
  std::vector<ConvGeometry> all = {
      Images(3, 8, 16, 3, 32),        Images(2, 9, 3, 5, 8),       Images(2, 9, 5, 3, 7, 2),
      Images(2, 6, 4, 1, 6),          Images(2, 7, 1, 3, 1),       Images(1, 9, 8, 3, 8, 1, 2),
      Images(2, 7, 16, 3, 16, 2, 16), Images(2, 7, 3, 3, 9, 1, 3), Images(1, 9, 4, 3, 4, 1, 1, 2),
      Images(33, 6, 8, 3, 8),         Images(1, 5, 6, 1, 6, 3)};
  for (size_t i = 0, n = all.size(); i < n; ++i) {
    all.push_back(all[i]);
    all.back().channels_first = true;
  }
  return all;
}

TEST(Conv, AreSumsOfProducts) {
  for (const ConvGeometry& g : Geometries()) {
    SCOPED_TRACE(testing::Message() << "window " << g.filter[1] << ", channels " << g.in_channels
                                    << ", first " << g.channels_first);
    ExpectSums(g, Computed(g));
  }
}

TEST(Conv, DoNotDependOnThreadsWhenDeterministic) {
  const int before = IntraOpThreads();
  SetDeterministic(true);
  for (const ConvGeometry& g : Geometries()) {
    SetIntraOpThreads(1);
    const Results one = Computed(g);
    SetIntraOpThreads(4);
    const Results four = Computed(g);
    EXPECT_EQ(one.y, four.y);
    EXPECT_EQ(one.dx, four.dx);
    EXPECT_EQ(one.df, four.df);
    ExpectSums(g, four);
  }
  SetDeterministic(false);
  SetIntraOpThreads(before);
}

TEST(Conv, RunsOnMatricesOfPatchesToo) {
  for (const ConvGeometry& g : Geometries()) {
    if (g.channels_first) continue;
    auto x = Made(g.in_elements(), 1), f = Made(g.filter_elements(), 2),
         dy = Made(g.out_elements(), 3);
    Results r{dy, x, f};
    ColumnConv(ConvKind::kForward, Type::kFloat, g, {x.data(), f.data(), r.y.data()});
    ColumnConv(ConvKind::kBackpropInput, Type::kFloat, g, {r.dx.data(), f.data(), dy.data()});
    ColumnConv(ConvKind::kBackpropFilter, Type::kFloat, g, {x.data(), r.df.data(), dy.data()});
    ExpectSums(g, r);
  }
}

// Large batches are split so that a run can stop between two pieces.
TEST(Conv, FilterGradientsOfPiecesAddUp) {
  const ConvGeometry g = Images(12, 96, 32, 3, 64);
  const auto x = Made(g.in_elements(), 1), dy = Made(g.out_elements(), 3);
  std::vector<float> df(g.filter_elements()), part(g.filter_elements());
  ConvBackpropFilter(Type::kFloat, g, x.data(), dy.data(), df.data());
  ConvGeometry image = g;
  image.batch = 1;
  std::vector<double> sums(g.filter_elements());
  for (int64_t n = 0; n < g.batch; ++n) {
    ConvBackpropFilter(Type::kFloat, image, x.data() + n * image.in_elements(),
                       dy.data() + n * image.out_elements(), part.data());
    for (size_t i = 0; i < part.size(); ++i) sums[i] += part[i];
  }
  ExpectNear(df, sums);
}

TEST(Conv, OfEmptyInputIsZero) {
  ConvGeometry g = Images(0, 4, 2, 3, 3);
  std::vector<float> df(g.filter_elements(), 7.0f);
  ConvBackpropFilter(Type::kFloat, g, nullptr, nullptr, df.data());
  EXPECT_EQ(df, std::vector<float>(df.size()));
}

}  // namespace
}  // namespace ramet::linalg
