#include "ramet/replica/shm/reader_quota.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <vector>

namespace ramet::shm {
namespace {

using Clock = ReaderQuota::Clock;

class ReaderQuotaTest : public ::testing::Test {
 protected:
  Connected At(int seconds, uint32_t uid, int32_t pid, bool has_read) const {
    return {{uid, uid, pid}, start_ + std::chrono::seconds(seconds), has_read};
  }
  const Clock::time_point start_ = Clock::now();
  const uint32_t own_ = geteuid();
};

TEST_F(ReaderQuotaTest, UnreadConnectionsOfAProcessAreLimited) {
  const ReaderQuota quota(ReaderLimits{.connections = 100, .unread_of_process = 2});
  std::vector<Connected> all = {At(0, own_, 5, false)};
  EXPECT_TRUE(quota.MayConnect(At(1, own_, 5, false), all));
  all.push_back(At(0, own_, 5, false));
  EXPECT_FALSE(quota.MayConnect(At(1, own_, 5, false), all));
  EXPECT_TRUE(quota.MayConnect(At(1, own_, 6, false), all));
  all[0].has_read = true;
  EXPECT_TRUE(quota.MayConnect(At(1, own_, 5, false), all));
}

TEST_F(ReaderQuotaTest, UnreadConnectionsOfAnotherUserAreLimited) {
  const ReaderQuota quota(ReaderLimits{.connections = 100, .unread_of_user = 2});
  const std::vector<Connected> all = {At(0, own_ + 1, 5, false), At(0, own_ + 1, 6, false),
                                      At(0, own_, 7, false), At(0, own_, 8, false)};
  EXPECT_FALSE(quota.MayConnect(At(1, own_ + 1, 9, false), all));
  EXPECT_TRUE(quota.MayConnect(At(1, own_ + 2, 9, false), all));
  EXPECT_TRUE(quota.MayConnect(At(1, own_, 9, false), all));
}

TEST_F(ReaderQuotaTest, TheOldestUnreadConnectionIsDroppedFirst) {
  const ReaderQuota quota;
  const std::vector<Connected> all = {At(0, own_, 5, true), At(2, own_, 6, false),
                                      At(1, own_, 7, false), At(3, own_, 8, true)};
  EXPECT_EQ(quota.VictimFor(At(9, own_, 9, false), all), 2u);
}

TEST_F(ReaderQuotaTest, ANewConnectionHasTimeToRead) {
  const ReaderQuota quota;
  const std::vector<Connected> all = {At(0, own_, 5, true), At(9, own_, 6, false)};
  EXPECT_EQ(quota.VictimFor(At(9, own_, 9, false), all), std::nullopt);
}

TEST_F(ReaderQuotaTest, TheProcessWithTheMostIsDropped) {
  const ReaderQuota quota;
  const std::vector<Connected> all = {At(0, own_, 5, true), At(3, own_, 6, true),
                                      At(2, own_, 6, true), At(4, own_, 6, true)};
  EXPECT_EQ(quota.VictimFor(At(9, own_, 9, false), all), 2u);
  EXPECT_EQ(quota.VictimFor(At(9, own_, 6, false), all), std::nullopt);
}

TEST_F(ReaderQuotaTest, TheUserWithTheMostIsDropped) {
  const ReaderQuota quota;
  const std::vector<Connected> all = {At(0, own_, 5, true), At(1, own_ + 1, 6, true),
                                      At(2, own_ + 1, 7, true), At(3, own_ + 1, 8, true)};
  EXPECT_EQ(quota.VictimFor(At(9, own_, 9, false), all), 1u);
  EXPECT_EQ(quota.VictimFor(At(9, own_ + 1, 9, false), all), std::nullopt);
}

TEST_F(ReaderQuotaTest, FollowersShareAPartOfTheDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 400;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const ReaderQuota quota;
  EXPECT_FALSE(quota.IsFull(99));
  EXPECT_TRUE(quota.IsFull(100));
  {
    const ReaderQuota another;
    EXPECT_TRUE(quota.IsFull(50));
    EXPECT_FALSE(quota.IsFull(49));
  }
  EXPECT_FALSE(ReaderQuota::IsShortOfDescriptors(0));
  std::vector<FileDescriptor> open;
  while (open.empty() || open.back().get() < 360) {
    open.emplace_back(fcntl(0, F_DUPFD_CLOEXEC, 0));
    ASSERT_GE(open.back().get(), 0);
  }
  EXPECT_TRUE(ReaderQuota::IsShortOfDescriptors(0));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace ramet::shm
