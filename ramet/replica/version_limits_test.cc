#include "ramet/replica/version_limits.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

TEST(VersionLimitsTest, MetricsAreLimited) {
  EXPECT_TRUE(CheckMetrics({}).ok());
  EXPECT_TRUE(CheckMetrics({{std::string(kMaxMetricsBytes - 10, 'x'), 0.5}}).ok());
  EXPECT_TRUE(IsInvalidArgument(CheckMetrics({{std::string(kMaxMetricsBytes, 'x'), 0.5}})));
}

}  // namespace
}  // namespace ramet
