#include "ramet/replica/version_limits.h"

#include <gtest/gtest.h>

namespace ramet {
namespace {

TEST(VersionLimitsTest, LabelsHaveOneRule) {
  for (const std::string& label : {std::string("stable"), std::string("v1.2_x-y"),
                                   std::string(kMaxLabelBytes, 'x'), std::string("\xc3\xa9")}) {
    EXPECT_TRUE(CheckLabel(label).ok()) << label;
  }
  for (const std::string& label :
       {std::string(), std::string(kMaxLabelBytes + 1, 'x'), std::string(".hidden"),
        std::string("a/b"), std::string("a@b"), std::string("a b"), std::string("a\nb"),
        std::string("a\0b", 3), std::string("a\x7f")}) {
    EXPECT_TRUE(IsInvalidArgument(CheckLabel(label))) << label;
  }
}

TEST(VersionLimitsTest, MetricsAreLimited) {
  EXPECT_TRUE(CheckMetrics({}).ok());
  EXPECT_TRUE(CheckMetrics({{std::string(kMaxMetricsBytes - 10, 'x'), 0.5}}).ok());
  EXPECT_TRUE(IsInvalidArgument(CheckMetrics({{std::string(kMaxMetricsBytes, 'x'), 0.5}})));
}

}  // namespace
}  // namespace ramet
