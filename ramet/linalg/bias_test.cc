#include "ramet/linalg/bias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

std::vector<float> Biased(std::vector<float> y, const std::vector<float>& bias, bool relu) {
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] += bias[i % bias.size()];
    if (relu) y[i] = std::max(y[i], 0.0f);
  }
  return y;
}

TEST(Bias, IsAddedToEachRow) {
  const int64_t rows = 1000, n = 37;
  const std::vector<float> x = Noise<float>(rows * n, 1), bias = Noise<float>(n, 2);
  for (const bool relu : {false, true}) {
    EXPECT_TRUE(SameForAnyThreads([&] {
      std::vector<float> y = x;
      AddBias(Type::kFloat, rows, n, bias.data(), relu, y.data());
      EXPECT_EQ(y, Biased(x, bias, relu));
      return y;
    }));
  }
}

TEST(Bias, IsAddedToConvolutionsInPieces) {
  ConvGeometry g{.batch = 45, .in_channels = 3, .out_channels = 16};
  for (int d = 1; d < 3; ++d) g.in[d] = g.out[d] = 20, g.filter[d] = 3, g.pad[d] = 1;
  const std::vector<float> x = Noise<float>(g.in_elements(), 1),
                           filter = Noise<float>(g.filter_elements(), 2),
                           bias = Noise<float>(g.out_channels, 3);
  std::vector<float> plain(g.out_elements()), y(g.out_elements());
  for (const int threads : {1, 3}) {
    SetIntraOpThreads(threads);
    for (const bool relu : {false, true}) {
      Conv(Type::kFloat, g, x.data(), filter.data(), plain.data());
      ConvBias(Type::kFloat, g, x.data(), filter.data(), bias.data(), relu, y.data());
      const std::vector<float> want = Biased(plain, bias, relu);
      for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], want[i], 1e-5);
    }
  }
  SetIntraOpThreads(1);
}

}  // namespace
}  // namespace ramet::linalg
