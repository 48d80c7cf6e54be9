#include "ramet/linalg/strided_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "ramet/linalg/test_util.h"
#include "ramet/linalg/width.h"

namespace ramet::linalg {
namespace {

using ::testing::ElementsAre;
using Dims = std::vector<int64_t>;

std::vector<int32_t> Count(int64_t n) {
  std::vector<int32_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(StridedCopy, SliceReverseAndBroadcast) {
  const std::vector<int32_t> x = Count(12);
  std::vector<int32_t> y(4, -1);
  StridedCopy(4, Dims{2, 2}, x.data() + 5, Dims{4, 1}, y.data(), Dims{2, 1});
  EXPECT_THAT(y, ElementsAre(5, 6, 9, 10));
  StridedCopy(4, Dims{4}, x.data() + 9, Dims{-3}, y.data(), Dims{1});
  EXPECT_THAT(y, ElementsAre(9, 6, 3, 0));
  StridedCopy(4, Dims{2, 2}, x.data(), Dims{1, 0}, y.data(), Dims{2, 1});
  EXPECT_THAT(y, ElementsAre(0, 0, 1, 1));
  StridedCopy(4, Dims{}, x.data() + 7, Dims{}, y.data(), Dims{});
  EXPECT_EQ(y[0], 7);
  StridedCopy(4, Dims{0, 3}, nullptr, Dims{1, 1}, nullptr, Dims{1, 1});
}

template <class T>
void CheckTranspose(const Dims& dims, const std::vector<int>& perm) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  std::vector<T> x(n), y(n);
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(static_cast<void*>(&x[i]), &i, std::min(sizeof(T), sizeof i));
  Transpose(sizeof(T), dims, perm, x.data(), y.data());
  for (int64_t flat = 0; flat < n; ++flat) {
    int64_t rest = flat, from = 0;
    for (size_t i = perm.size(); i-- > 0;) {
      int64_t stride = 1;
      for (size_t j = perm[i] + 1; j < dims.size(); ++j) stride *= dims[j];
      from += rest % dims[perm[i]] * stride;
      rest /= dims[perm[i]];
    }
    ASSERT_EQ(std::memcmp(&y[flat], &x[from], sizeof(T)), 0) << flat;
  }
}

TEST(Transpose, AnyPermutationAndWidth) {
  CheckTranspose<uint8_t>({3, 5}, {1, 0});
  CheckTranspose<uint16_t>({100, 77}, {1, 0});
  CheckTranspose<uint32_t>({784, 256}, {1, 0});
  CheckTranspose<uint64_t>({2, 3, 4, 5}, {0, 2, 3, 1});
  CheckTranspose<Bytes16>({7, 1, 9, 4}, {3, 1, 2, 0});
  CheckTranspose<uint32_t>({2, 3, 4}, {1, 0, 2});
  CheckTranspose<uint32_t>({2, 3, 4}, {0, 1, 2});
  CheckTranspose<uint32_t>({20, 30, 40}, {2, 1, 0});
  CheckTranspose<uint32_t>({}, {});
}

TEST(Tile, RepeatsEachDimension) {
  const std::vector<int32_t> x = Count(4);
  std::vector<int32_t> y(24);
  Tile(4, Dims{2, 2}, Dims{2, 3}, x.data(), y.data());
  EXPECT_THAT(y,
              ElementsAre(0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3));
  Tile(4, Dims{2, 2}, Dims{0, 3}, x.data(), nullptr);
}

TEST(GatherRows, CopiesRowsAndReportsTheFirstBadIndex) {
  const std::vector<int32_t> x = Count(12);
  const int32_t indices[] = {2, 0};
  std::vector<int32_t> y(8);
  EXPECT_EQ(GatherRows(Type::kInt32, 2, 3, 8, x.data(), 2, indices, y.data()), -1);
  EXPECT_THAT(y, ElementsAre(4, 5, 0, 1, 10, 11, 6, 7));
  const int64_t bad[] = {0, 3, -1};
  EXPECT_EQ(GatherRows(Type::kInt64, 1, 3, 8, x.data(), 3, bad, y.data()), 1);
  EXPECT_EQ(GatherRows(Type::kInt64, 1, 0, 8, nullptr, 0, nullptr, nullptr), -1);
}

TEST(Fill, EachWidth) {
  const double value = 2.5;
  std::vector<double> y(40000);
  Fill(8, &value, y.data(), 40000);
  EXPECT_EQ(y, std::vector<double>(40000, 2.5));
}

}  // namespace
}  // namespace ramet::linalg
