#include "ramet/linalg/parallel.h"

#include <gtest/gtest.h>

namespace ramet::linalg {
namespace {
TEST(Parallel, Covers) {
  std::vector<int> hits(1000);
  ParallelFor(1000, 10, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) ++hits[i];
  });
  EXPECT_EQ(hits, std::vector<int>(1000, 1));
}
}  // namespace
}  // namespace ramet::linalg
