#include "ramet/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class LogTest : public ::testing::Test {
 protected:
  LogTest() {
    SetLogSink([this](LogLevel level, std::string_view message) {
      lines_.emplace_back(level, std::string(message));
    });
    SetLogLevel(LogLevel::kInfo);
  }
  ~LogTest() override {
    SetLogSink(nullptr);
    SetLogLevel(LogLevel::kInfo);
  }
  std::vector<std::pair<LogLevel, std::string>> lines_;
};

TEST_F(LogTest, JoinsArgumentsAndKeepsTheLevel) {
  LogDebug("not shown");
  LogInfo("step ", 3, " of ", 10);
  LogWarning("w");
  SetLogLevel(LogLevel::kError);
  LogWarning("not shown");
  LogError("e");
  SetLogLevel(LogLevel::kOff);
  LogError("not shown");
  EXPECT_THAT(lines_, ElementsAre(Pair(LogLevel::kInfo, "step 3 of 10"),
                                  Pair(LogLevel::kWarning, "w"), Pair(LogLevel::kError, "e")));
}

TEST_F(LogTest, OncePerKey) {
  for (int i = 0; i < 3; ++i) LogOnce(LogLevel::kWarning, "LogTest.OncePerKey", "used ", i);
  LogOnce(LogLevel::kWarning, "LogTest.OncePerKey other", "other");
  EXPECT_THAT(lines_,
              ElementsAre(Pair(LogLevel::kWarning, "used 0"), Pair(LogLevel::kWarning, "other")));
}

TEST_F(LogTest, ADroppedMessageMayStillComeOnceLater) {
  SetLogLevel(LogLevel::kError);
  LogOnce(LogLevel::kWarning, "LogTest.Dropped", "first");
  SetLogLevel(LogLevel::kInfo);
  LogOnce(LogLevel::kWarning, "LogTest.Dropped", "second");
  EXPECT_THAT(lines_, ElementsAre(Pair(LogLevel::kWarning, "second")));
}

TEST_F(LogTest, GoesToStderrWithoutASink) {
  SetLogSink(nullptr);
  ::testing::internal::CaptureStderr();
  LogWarning("braces {} and %s stay");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("ramet: braces {} and %s stay\n"));
}

}  // namespace
}  // namespace ramet
