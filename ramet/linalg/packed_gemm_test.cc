#include "ramet/linalg/packed_gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "ramet/linalg/bias.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

struct ProductSize {
  int64_t m, n, k;
};
// Whole and partial tiles and panels of all levels, and several blocks of the inner dimension.
const ProductSize kProductSizes[] = {{16, 512, 192}, {50, 10, 256}, {1, 1, 1},     {2, 1, 3},
                                     {7, 33, 321},   {13, 31, 640}, {25, 64, 641}, {131, 17, 5},
                                     {5, 1025, 70},  {300, 48, 33}};

std::vector<float> Matrix(int64_t n, uint32_t seed) {
  std::vector<float> values(n);
  const std::vector<double> noise = Noise<double>(n, seed);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(noise[i]);
  return values;
}

std::vector<float> Packed(const RightOperand& b) {
  std::vector<float> packed(PackedSize(b), std::numeric_limits<float>::quiet_NaN());
  Pack(b, packed.data());
  return packed;
}

TEST(PackedGemmTest, EqualsSumsOfProducts) {
  for (const ProductSize& s : kProductSizes) {
    for (const bool transposed : {false, true}) {
      const std::vector<float> a = Matrix(s.m * s.k, 1), b = Matrix(s.k * s.n, 2);
      const RightOperand right{transposed, s.n, s.k, b.data()};
      const std::vector<float> packed = Packed(right);
      for (const bool accumulate : {false, true}) {
        std::vector<float> c(s.m * s.n, 2.0f);
        PackedGemm(s.m, a.data(), right, packed.data(), c.data(), {.accumulate = accumulate});
        for (int64_t i = 0; i < s.m * s.n; ++i) {
          double sum = accumulate ? 2 : 0;
          for (int64_t p = 0; p < s.k; ++p) {
            const int64_t j = i % s.n;
            sum += double(a[i / s.n * s.k + p]) * b[transposed ? j * s.k + p : p * s.n + j];
          }
          ASSERT_NEAR(c[i], sum, 1e-5 * s.k) << s.m << "x" << s.n << "x" << s.k << " at " << i;
        }
      }
    }
  }
}

// Threads, the number of rows and the time of packing do not change the bits.
TEST(PackedGemmTest, BitsDependOnDepthOnly) {
  for (const ProductSize& s : kProductSizes) {
    const std::vector<float> a = Matrix(s.m * s.k, 3), b = Matrix(s.k * s.n, 4);
    const RightOperand right{false, s.n, s.k, b.data()};
    const std::vector<float> packed = Packed(right);
    std::vector<float> want(s.m * s.n);
    SetIntraOpThreads(1);
    PackedGemm(s.m, a.data(), right, packed.data(), want.data());
    for (const int threads : {1, 2, 3}) {
      SetIntraOpThreads(threads);
      EXPECT_EQ(Packed(right), packed);
      for (const float* form : {packed.data(), static_cast<const float*>(nullptr)}) {
        std::vector<float> c(s.m * s.n, 9.0f);
        PackedGemm(s.m, a.data(), right, form, c.data());
        EXPECT_EQ(std::memcmp(c.data(), want.data(), c.size() * sizeof(float)), 0);
      }
    }
    SetIntraOpThreads(1);
    std::vector<float> last(s.n);
    PackedGemm(1, a.data() + (s.m - 1) * s.k, right, packed.data(), last.data());
    EXPECT_EQ(std::memcmp(last.data(), want.data() + (s.m - 1) * s.n, s.n * sizeof(float)), 0);
  }
}

TEST(PackedGemmTest, BiasAndReluHaveTheBitsOfAddBias) {
  for (const ProductSize& s : kProductSizes) {
    const std::vector<float> a = Matrix(s.m * s.k, 5), b = Matrix(s.k * s.n, 6);
    std::vector<float> bias = Matrix(s.n, 7);
    bias[s.n / 2] = std::nanf("");
    const RightOperand right{false, s.n, s.k, b.data()};
    const std::vector<float> packed = Packed(right);
    for (const bool relu : {false, true}) {
      std::vector<float> c(s.m * s.n), want(s.m * s.n);
      PackedGemm(s.m, a.data(), right, packed.data(), want.data());
      AddBias(Type::kFloat, s.m, s.n, bias.data(), relu, want.data());
      PackedGemm(s.m, a.data(), right, packed.data(), c.data(),
                 {.bias = bias.data(), .relu = relu});
      EXPECT_EQ(std::memcmp(c.data(), want.data(), c.size() * sizeof(float)), 0);
    }
  }
}

TEST(PackedGemmTest, StoresPieces) {
  const int64_t m = 7, n = 96, k = 400, num = 3;
  const std::vector<float> a = Matrix(m * k, 5), b = Matrix(k * n, 6), bias = Matrix(n, 7);
  const RightOperand right{false, n, k, b.data()};
  const std::vector<float> packed = Packed(right);
  std::vector<float> want(m * n);
  PackedGemm(m, a.data(), right, packed.data(), want.data(), {.bias = bias.data()});
  ASSERT_TRUE(IsWholePanels(n / num));
  EXPECT_FALSE(IsWholePanels(n / num + 1));
  EXPECT_FALSE(IsWholePanels(0));
  for (const float* form : {packed.data(), static_cast<const float*>(nullptr)}) {
    std::vector<std::vector<float>> pieces(num, std::vector<float>(m * n / num));
    float* const places[num] = {pieces[0].data(), pieces[1].data(), pieces[2].data()};
    PackedGemm(m, a.data(), right, form, nullptr,
               {.bias = bias.data(), .pieces = places, .piece_columns = n / num});
    for (int64_t i = 0; i < m * n; ++i) {
      const int64_t row = i / n, column = i % n;
      EXPECT_EQ(pieces[column / 32][row * 32 + column % 32], want[i]);
    }
  }
}

// A NaN or an infinity stays in its row or column, also next to the zeros that fill up a panel.
TEST(PackedGemmTest, KeepsNanAndInfinity) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const int64_t m = 3, n = 5, k = 4;
  std::vector<float> a(m * k, 1.0f), b(k * n, 1.0f);
  a[1 * k + 2] = std::nanf("");
  b[0 * n + 3] = kInf;
  const RightOperand right{false, n, k, b.data()};
  const std::vector<float> packed = Packed(right);
  std::vector<float> c(m * n);
  PackedGemm(m, a.data(), right, packed.data(), c.data());
  for (int64_t i = 0; i < m * n; ++i) {
    if (i / n == 1) {
      EXPECT_TRUE(std::isnan(c[i])) << i;
    } else {
      EXPECT_EQ(c[i], i % n == 3 ? kInf : 4.0f) << i;
    }
  }
}

TEST(PackedGemmTest, PackingPaysForSeveralRows) {
  const RightOperand weights{false, 512, 192, nullptr};
  EXPECT_TRUE(PackingPays(16, weights));
  EXPECT_FALSE(PackingPays(1, weights));
  EXPECT_FALSE(PackingPays(0, weights));
  EXPECT_FALSE(PackingPays(16, {false, 512, 0, nullptr}));
  EXPECT_FALSE(PackingPays(16, {false, 0, 192, nullptr}));
  EXPECT_FALSE(PackingPays(16, {false, 4, 4, nullptr}));
}

}  // namespace
}  // namespace ramet::linalg
