#include "ramet/backends/gpu/ops/gpu_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/backends/gpu/testing/test_device.h"
#include "ramet/linalg/random_bits.h"

// Sizes that the conformance cases do not have: lines that are scanned in chunks, rows that are
// sorted, and segments that several items share.

namespace ramet::gpu {
namespace {

using linalg::ReduceOp;

class GpuRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RAMET_NEEDS_TEST_DEVICE();
    static GpuDevice* const device = GpuDevice::Make(0, *TestDriverDevice(), 1.0).value().release();
    device_ = device;
  }

  Tensor On(const Tensor& host) { return device_->CopyFromHost(host).value(); }
  Tensor Back(const Tensor& t) { return device_->CopyToHost(t).value(); }
  Tensor New(DType dtype, const Shape& shape) {
    return Tensor::Allocate(dtype, shape, device_->allocator()).value();
  }
  template <class T>
  Tensor Integers(const Shape& shape, int low, int high) {
    Tensor t(DTypeOf<T>::value, shape);
    std::uniform_int_distribution<int> draw(low, high);
    for (T& v : t.template mutable_flat<T>()) v = static_cast<T>(draw(random_));
    return t;
  }

  GpuDevice* device_ = nullptr;
  std::mt19937 random_{1};
};

// Returns the running sums of a line in `x` that starts at `first`.
std::vector<float> RunningSums(const Tensor& x, const ScanSizes& s, int64_t first) {
  std::vector<float> sums(s.n);
  float total = 0;
  for (int64_t j = 0; j < s.n; ++j) {
    const int64_t at = s.reverse ? s.n - 1 - j : j;
    const float before = total;
    total += x.flat<float>()[first + at * s.inner];
    sums[at] = s.exclusive ? before : total;
  }
  return sums;
}

TEST_F(GpuRowsTest, LongLinesAreScannedInChunks) {
  for (const ScanSizes& s : {ScanSizes{1, 100003, 1, false, false},
                             {1, 70001, 2, true, true},
                             {3, 1000, 5, true, false},
                             {2, 129, 1, false, true}}) {
    // Sums of these integers are exact.
    const Tensor x = Integers<float>(Shape{s.outer, s.n, s.inner}, -3, 4);
    Tensor y = New(kFloat, x.shape());
    ASSERT_TRUE(DeviceRows::Of(y)->Scan(ReduceOp::kSum, s, On(x), y).ok());
    const Tensor found = Back(y);
    for (int64_t line = 0; line < s.outer * s.inner; ++line) {
      const int64_t first = line / s.inner * s.n * s.inner + line % s.inner;
      const std::vector<float> sums = RunningSums(x, s, first);
      for (int64_t j = 0; j < s.n; ++j) {
        ASSERT_EQ(found.flat<float>()[first + j * s.inner], sums[j]) << line << ", " << j;
      }
    }
  }
}

// Few values, so that many are equal; NaNs come last.
TEST_F(GpuRowsTest, RowsAreSortedByValueAndIndex) {
  constexpr int64_t kRows = 3, kColumns = 3000;
  Tensor x = Integers<float>(Shape{kRows, kColumns}, 0, 50);
  x.mutable_flat<float>()[7] = x.mutable_flat<float>()[11] = std::nanf("");
  for (int64_t k : {1, 5, 500, 3000}) {
    Tensor values = New(kFloat, Shape{kRows, k}), indices = New(kInt64, Shape{kRows, k});
    ASSERT_TRUE(DeviceRows::Of(values)->TopOfRows(On(x), values, indices).ok());
    const Tensor found = Back(indices), top = Back(values);
    for (int64_t r = 0; r < kRows; ++r) {
      const auto row = x.flat<float>().subspan(r * kColumns, kColumns);
      std::vector<int64_t> order(kColumns);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](int64_t i, int64_t j) {
        return row[i] > row[j] || (!std::isnan(row[i]) && std::isnan(row[j]));
      });
      for (int64_t i = 0; i < k; ++i) {
        ASSERT_EQ(found.flat<int64_t>()[r * k + i], order[i]) << "row " << r << ", " << i;
        const float value = top.flat<float>()[r * k + i];
        ASSERT_TRUE(value == row[order[i]] || std::isnan(row[order[i]]));
      }
    }
  }
}

TEST_F(GpuRowsTest, LongSegmentsAreCombinedByGroups) {
  constexpr int64_t kRows = 10000, kColumns = 3;
  const Tensor x = Integers<int64_t>(Shape{kRows, kColumns}, -9, 9);
  const Tensor starts = Tensor::Vector<int64_t>({0, 1, 1, 9000, kRows});
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin}) {
    Tensor y = New(kInt64, Shape{4, kColumns});
    ASSERT_TRUE(DeviceRows::Of(y)->CombineSegments(op, starts, On(x), y).ok());
    const Tensor found = Back(y);
    for (int64_t i = 0; i < found.num_elements(); ++i) {
      const int64_t begin = starts.flat<int64_t>()[i / kColumns];
      const int64_t end = starts.flat<int64_t>()[i / kColumns + 1];
      int64_t expected = begin < end ? x.flat<int64_t>()[begin * kColumns + i % kColumns] : 0;
      for (int64_t row = begin + 1; row < end; ++row) {
        const int64_t v = x.flat<int64_t>()[row * kColumns + i % kColumns];
        expected = op == ReduceOp::kSum   ? expected + v
                   : op == ReduceOp::kMax ? std::max(expected, v)
                                          : std::min(expected, v);
      }
      EXPECT_EQ(found.flat<int64_t>()[i], expected) << i;
    }
  }
}

// Class 1 of the first row is impossible, and class 2 of the second one is certain.
TEST_F(GpuRowsTest, DrawsClassesWithTheNumbersOfTheGenerator) {
  const float inf = std::numeric_limits<float>::infinity();
  Tensor logits(kFloat, Shape{2, 3});
  std::ranges::copy(std::initializer_list<float>{0, -inf, std::log(3.0f), -900, -900, 0},
                    logits.mutable_data<float>());
  Tensor y = New(kInt32, Shape{2, 1001});
  const linalg::Philox generator({1, 2, 3, 4}, {5, 6});
  ASSERT_TRUE(DeviceRows::Of(y)->DrawClasses(generator, On(logits), y).ok());
  const Tensor found = Back(y);
  linalg::Philox copy = generator;
  linalg::WordStream words(&copy);
  for (int64_t i = 0; i < 2002; ++i) {
    const double u = words.NextDouble();
    const int expected = i < 1001 && u < 0.25 ? 0 : 2;
    ASSERT_EQ(found.flat<int32_t>()[i], expected) << i << ": " << u;
  }
}

}  // namespace
}  // namespace ramet::gpu
