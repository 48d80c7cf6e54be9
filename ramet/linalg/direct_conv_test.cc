#include "ramet/linalg/direct_conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ramet/linalg/cpu_level.h"
#include "ramet/linalg/filter_gradient.h"
#include "ramet/linalg/parallel.h"

namespace ramet::linalg {
namespace {

using FloatVector = std::vector<float>;
constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

FloatVector Eighths(int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  FloatVector v(n);
  for (float& e : v) e = static_cast<float>(static_cast<int>(random() % 33) - 16) / 8;
  return v;
}

// A convolution of volumes with any strides, dilations and paddings. Windows may lie in the
// padding.
ConvGeometry RandomConvGeometry(std::mt19937* random) {
  const auto below = [random](int64_t n) { return static_cast<int64_t>((*random)() % n); };
  ConvGeometry g;
  g.batch = 1 + below(4);
  g.in_channels = 1 + below(20);
  g.out_channels = 1 + below(70);
  for (int d = below(3); d < 3; ++d) {
    g.in[d] = 1 + below(12);
    g.filter[d] = 1 + below(4);
    g.stride[d] = 1 + below(3);
    g.dilation[d] = 1 + below(3);
    g.pad[d] = below(5);
    const int64_t window = (g.filter[d] - 1) * g.dilation[d] + 1;
    const int64_t free = g.in[d] + g.pad[d] + below(5) - window;
    g.out[d] = free < 0 ? 1 : free / g.stride[d] + 1;
  }
  return g;
}

// Calls visit(x, filter, y) with the element indices of each product in the sum.
template <class Visit>
void ForWindowProducts(const ConvGeometry& g, Visit&& visit) {
  const auto at = [](const int64_t* sizes, int64_t n, const int64_t* i) {
    return ((n * sizes[0] + i[0]) * sizes[1] + i[1]) * sizes[2] + i[2];
  };
  const int64_t pixels = g.out_pixels();
  for (int64_t p = 0; p < g.batch * pixels; ++p) {
    const int64_t o[3] = {p % pixels / (g.out[1] * g.out[2]), p / g.out[2] % g.out[1],
                          p % g.out[2]};
    for (int64_t t = 0; t < g.taps(); ++t) {
      const int64_t k[3] = {t / (g.filter[1] * g.filter[2]), t / g.filter[2] % g.filter[1],
                            t % g.filter[2]};
      int64_t i[3];
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        i[d] = o[d] * g.stride[d] - g.pad[d] + k[d] * g.dilation[d];
        inside = inside && i[d] >= 0 && i[d] < g.in[d];
      }
      if (!inside) continue;
      for (int64_t c = 0; c < g.in_channels; ++c) {
        for (int64_t out = 0; out < g.out_channels; ++out) {
          visit(at(g.in, p / pixels, i) * g.in_channels + c,
                (t * g.in_channels + c) * g.out_channels + out, p * g.out_channels + out);
        }
      }
    }
  }
}

std::vector<double> SumsOfProducts(const ConvGeometry& g, const FloatVector& x,
                                   const FloatVector& filter) {
  std::vector<double> y(g.out_elements());
  ForWindowProducts(g, [&](int64_t i, int64_t j, int64_t k) { y[k] += double{x[i]} * filter[j]; });
  return y;
}

FloatVector PackedCopy(const ConvGeometry& g, const FloatVector& filter) {
  FloatVector packed(PackedFilterSize(g));
  PackFilter(g, filter.data(), packed.data());
  return packed;
}

FloatVector DirectlyConvolved(const ConvGeometry& g, const FloatVector& x,
                              const FloatVector& filter, const ChannelEpilogue& epilogue = {}) {
  FloatVector y(g.out_elements(), kNotANumber);
  ConvPacked(g, x.data(), PackedCopy(g, filter).data(), epilogue, y.data());
  return y;
}

void ExpectCloseTo(const FloatVector& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-4 * (1 + std::abs(expected[i]))) << "element " << i;
  }
}

std::string GeometryText(const ConvGeometry& g) {
  std::string text = std::to_string(g.in_channels) + " to " + std::to_string(g.out_channels);
  for (int d = 0; d < 3; ++d) {
    text += ", " + std::to_string(g.in[d]) + " by " + std::to_string(g.filter[d]) + " stride " +
            std::to_string(g.stride[d]) + " dilation " + std::to_string(g.dilation[d]) + " pad " +
            std::to_string(g.pad[d]) + " out " + std::to_string(g.out[d]);
  }
  return text;
}

TEST(DirectConv, IsTheSumOfProducts) {
  for (const int level : {2, 3, 4}) {
    cpu_level_internal::OverrideForTest(level);
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
      const ConvGeometry g = RandomConvGeometry(&random);
      SCOPED_TRACE(GeometryText(g));
      const FloatVector x = Eighths(g.in_elements(), 1), filter = Eighths(g.filter_elements(), 2);
      ExpectCloseTo(DirectlyConvolved(g, x, filter), SumsOfProducts(g, x, filter));
    }
  }
  cpu_level_internal::OverrideForTest(4);
}

TEST(DirectConv, GradientOfTheInputIsTheSumOfProducts) {
  std::mt19937 random(2);
  int tested = 0;
  for (int i = 0; i < 400; ++i) {
    ConvGeometry g = RandomConvGeometry(&random);
    for (int64_t& stride : g.stride) stride = 1;
    if (!IsDirectInputGradient(g)) continue;
    ++tested;
    SCOPED_TRACE(GeometryText(g));
    const FloatVector dy = Eighths(g.out_elements(), 1), filter = Eighths(g.filter_elements(), 2);
    FloatVector dx(g.in_elements(), kNotANumber);
    ASSERT_TRUE(DirectInputGradient(g, filter.data(), dy.data(), dx.data()));
    std::vector<double> expected(dx.size());
    ForWindowProducts(
        g, [&](int64_t i, int64_t j, int64_t k) { expected[i] += double{dy[k]} * filter[j]; });
    ExpectCloseTo(dx, expected);
  }
  EXPECT_GT(tested, 50);
}

TEST(DirectConv, GradientOfTheFilterIsTheSumOfProducts) {
  for (const int level : {2, 3, 4}) {
    cpu_level_internal::OverrideForTest(level);
    std::mt19937 random(5);
    for (int i = 0; i < 100; ++i) {
      ConvGeometry g = RandomConvGeometry(&random);
      g.out_channels = (g.out_channels + 15) / 16 * 16;
      if (i % 10 == 0) g.batch = 40;
      SCOPED_TRACE(GeometryText(g));
      const FloatVector x = Eighths(g.in_elements(), 1), dy = Eighths(g.out_elements(), 2);
      FloatVector df(g.filter_elements(), kNotANumber);
      FilterGradientOf(g, x.data(), dy.data(), df.data());
      std::vector<double> expected(df.size());
      ForWindowProducts(
          g, [&](int64_t i, int64_t j, int64_t k) { expected[j] += double{x[i]} * dy[k]; });
      ExpectCloseTo(df, expected);
    }
  }
  cpu_level_internal::OverrideForTest(4);
}

TEST(DirectConv, AppliesEpilogues) {
  std::mt19937 random(3);
  for (int i = 0; i < 64; ++i) {
    const ConvGeometry g = RandomConvGeometry(&random);
    SCOPED_TRACE(GeometryText(g));
    const FloatVector x = Eighths(g.in_elements(), 1), filter = Eighths(g.filter_elements(), 2);
    const FloatVector before = Eighths(g.out_channels, 3), scale = Eighths(g.out_channels, 4),
                      after = Eighths(g.out_channels, 5), addend = Eighths(g.out_elements(), 6);
    const ChannelEpilogue e{i & 1 ? before.data() : nullptr, i & 2 ? scale.data() : nullptr,
                            i & 4 ? after.data() : nullptr, i & 8 ? addend.data() : nullptr,
                            (i & 16) != 0};
    std::vector<double> expected = SumsOfProducts(g, x, filter);
    for (size_t k = 0; k < expected.size(); ++k) {
      double& y = expected[k];
      const size_t c = k % g.out_channels;
      if (e.before != nullptr) y += before[c];
      if (e.scale != nullptr) y *= scale[c];
      if (e.after != nullptr) y += after[c];
      if (e.addend != nullptr) y += addend[k];
      if (e.relu) y = std::max(y, 0.0);
    }
    ExpectCloseTo(DirectlyConvolved(g, x, filter, e), expected);
    if (e.addend == nullptr) continue;
    FloatVector y = addend;
    ChannelEpilogue in_place = e;
    in_place.addend = y.data();
    ConvPacked(g, x.data(), PackedCopy(g, filter).data(), in_place, y.data());
    ExpectCloseTo(y, expected);
  }
}

// A filter's infinities and NaN reach only the pixels whose windows have them inside of the image.
TEST(DirectConv, SkipsPadding) {
  ConvGeometry g;
  g.in_channels = 3;
  g.out_channels = 5;
  for (int d = 1; d < 3; ++d) g.in[d] = g.out[d] = 9, g.filter[d] = 3, g.pad[d] = 1;
  FloatVector filter(g.filter_elements(), 1);
  for (int64_t i = 0; i < g.in_channels * g.out_channels; ++i)
    filter[i] = i % 2 ? kNotANumber : kInfinite;
  const FloatVector y = DirectlyConvolved(g, FloatVector(g.in_elements(), 1), filter);
  for (int64_t i = 0; i < g.out_elements(); ++i) {
    const int64_t pixel = i / g.out_channels;
    EXPECT_EQ(std::isfinite(y[i]), pixel < 9 || pixel % 9 == 0) << pixel;
  }
}

TEST(DirectConv, KeepsNanInRelu) {
  ConvGeometry g;
  g.in_channels = 4;
  g.out_channels = 40;
  g.in[2] = g.out[2] = 13;
  FloatVector x(g.in_elements(), 0);
  x[0] = kNotANumber;
  const FloatVector y =
      DirectlyConvolved(g, x, FloatVector(g.filter_elements(), -1), {.relu = true});
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[39]));
  EXPECT_EQ(y[40], 0);
}

TEST(DirectConv, DoesNotDependOnThreadsOrBatch) {
  const int before = IntraOpThreads();
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) {
    ConvGeometry g = RandomConvGeometry(&random);
    g.batch = 40;
    const ConvGeometry with_batch = g;
    const FloatVector x = Eighths(g.in_elements(), 1), filter = Eighths(g.filter_elements(), 2);
    SetIntraOpThreads(1);
    const FloatVector one = DirectlyConvolved(g, x, filter);
    SetIntraOpThreads(3);
    EXPECT_EQ(one, DirectlyConvolved(g, x, filter));
    g.out_channels = 48;
    const FloatVector dy = Eighths(g.out_elements(), 5);
    FloatVector df(g.filter_elements()), same = df;
    FilterGradientOf(g, x.data(), dy.data(), df.data());
    SetIntraOpThreads(1);
    FilterGradientOf(g, x.data(), dy.data(), same.data());
    EXPECT_EQ(df, same);
    g = with_batch;
    g.batch = 1;
    const FloatVector first =
        DirectlyConvolved(g, {x.begin(), x.begin() + g.in_elements()}, filter);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), one.begin()));
  }
  SetIntraOpThreads(before);
}

TEST(DirectConv, LeavesDeterministicBitsAlone) {
  ConvGeometry g;
  g.in_channels = 64;
  g.in[2] = g.out[2] = 8;
  g.filter[2] = 3;
  g.pad[2] = 1;
  FloatVector x(g.in_elements()), filter(g.filter_elements()), y(g.out_elements());
  EXPECT_TRUE(DirectConv(g, x.data(), filter.data(), {}, y.data()));
  SetDeterministic(true);
  EXPECT_FALSE(DirectConv(g, x.data(), filter.data(), {}, y.data()));
  EXPECT_FALSE(DirectInputGradient(g, filter.data(), y.data(), x.data()));
  SetDeterministic(false);
}

TEST(DirectConv, OfNoOutputsWritesNothing) {
  ConvGeometry g;
  g.in_channels = 64;
  g.filter[2] = 2;
  g.out[2] = 0;
  const FloatVector x(g.in_elements()), filter(g.filter_elements());
  EXPECT_TRUE(DirectConv(g, x.data(), filter.data(), {}, nullptr));
}

}  // namespace
}  // namespace ramet::linalg
