#include "ramet/base/status.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ramet {
namespace {

TEST(StatusTest, ValueThrowsOnlyErrors) {
  OkStatus().value();
  const Status error = NotFound("no 'w'");
  try {
    error.value();
    FAIL() << "no exception";
  } catch (const BadStatusAccess& thrown) {
    EXPECT_EQ(thrown.status().code(), Code::kNotFound);
    EXPECT_STREQ(thrown.what(), "NOT_FOUND: no 'w'");
  }
}

TEST(StatusTest, Prints) {
  std::ostringstream out;
  out << OkStatus() << ", " << NotFound("no 'w'");
  EXPECT_EQ(out.str(), "OK, NOT_FOUND: no 'w'");
}

}  // namespace
}  // namespace ramet
