#include "ramet/base/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProgressTest : public ::testing::Test {
 protected:
  Progress::Options Options(int terminal, int64_t total) {
    return {.total = total,
            .write = [this](std::string_view text) { written_.emplace_back(text); },
            .terminal = terminal,
            .interval = 1,
            .clock = [this] { return now_; }};
  }
  double now_ = 100;
  std::vector<std::string> written_;
};

TEST_F(ProgressTest, PlainLinesAreRateLimited) {
  Progress progress("training", Options(0, 200));
  progress.Update(1);
  EXPECT_THAT(written_, IsEmpty());
  now_ += 2;
  progress.Update(50, "loss 0.5");
  progress.Update(51, "loss 0.4");
  now_ += 0.5;
  progress.Update(100);
  progress.Finish();
  EXPECT_THAT(written_, ElementsAre("training 25% 50/200 25/s 0:02 left 0:06 loss 0.5\n",
                                    "training 50% 100/200 40/s 0:03\n"));
}

TEST_F(ProgressTest, FinishDoesNotRepeatThePlainLastLine) {
  {
    Progress progress("reading", Options(0, 0));
    now_ += 3700;
    progress.Update(37);
  }
  EXPECT_THAT(written_, ElementsAre("reading 37 0.01/s 1:01:40\n"));
}

TEST_F(ProgressTest, TheTerminalLineIsOverwrittenCompletely) {
  Progress progress("x", Options(1, 4));
  now_ += 1;
  progress.Update(1, "note");
  now_ += 1;
  progress.Update(4);
  progress.Finish();
  progress.Update(5);
  EXPECT_THAT(written_,
              ElementsAre("\rx [======>                 ] 25% 1/4 1.00/s 0:01 left 0:03 note",
                          "\rx [========================] 100% 4/4 2.00/s 0:02              ",
                          "\rx [========================] 100% 4/4 2.00/s 0:02\n"));
}

TEST_F(ProgressTest, MoreThanTheTotalIsAllowed) {
  Progress progress("x", Options(1, 4));
  now_ += 1;
  progress.Update(9);
  EXPECT_THAT(written_, ElementsAre("\rx [========================] 100% 9/4 9.00/s 0:01"));
}

}  // namespace
}  // namespace ramet
