// Tests with publishers and followers in separate processes that come, go and are killed at any
// instruction. Every element of every variable is the number of the step, so torn values are
// detected.
//
// RAMET_STRESS multiplies the amount of work (make check-all: 1000 kills on each side, 10^6
// versions).
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "stress_testing.h"

namespace ramet {
namespace {

std::string Address() {
  return StrCat("shm:stress ", getpid(), " ",
                testing::UnitTest::GetInstance()->current_test_info()->name());
}

// Publishes until it is killed.
int PublishForEver(const std::string& address) {
  Counting trainer(5, 1000);
  Publisher publisher = trainer.Publish(address);
  while (true) {
    if (!publisher.Publish({.step = trainer.Step()}).ok()) return 1;
  }
}

// Checks versions until the publisher announces the last one, or forever.
int Follow(const std::string& address, int64_t last) {
  auto follower = Follower::Open(address, Waiting());
  if (!follower.ok() || !follower->Wait(1, milliseconds(30000)).ok()) return 2;
  Checking check(*follower);
  int64_t step = 0;
  while (step < last) {
    const int64_t now = check.Check();
    if (now < step) return 3;
    step = now;
  }
  return 0;
}

TEST(StressTest, APublisherThatIsKilledLeavesTheLastWholeVersion) {
  std::mt19937 random(1);
  const std::string address = Address();
  std::optional<Child> publisher(std::in_place, std::vector<std::string>{"publish", address});
  Follower follower = Follower::Open(address, Waiting()).value();
  ASSERT_TRUE(follower.Wait(1, milliseconds(30000)).ok());
  Checking check(follower);
  for (int round = 0; round < Times(10); ++round) {
    const uint64_t epoch = follower.current().id.epoch;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    publisher->Kill();
    ASSERT_GE(check.Check(), 0) << "round " << round;
    publisher.emplace(std::vector<std::string>{"publish", address});
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (follower.current().id.epoch == epoch && std::chrono::steady_clock::now() < until) {
      ASSERT_GE(check.Check(), 0) << "round " << round;
    }
    ASSERT_NE(follower.current().id.epoch, epoch) << "round " << round;
  }
}

TEST(StressTest, AFollowerThatIsKilledGivesBackWhatItHeld) {
  std::mt19937 random(1);
  const std::string address = Address();
  Counting trainer(5, 1000);
  Publisher publisher = trainer.Publish(address);
  publisher.Publish({.step = trainer.Step()}).value();
  uint64_t bytes = 0;
  for (int round = 0; round < Times(10); ++round) {
    Child follower({"follow", address, "1000000000"});
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (publisher.stats().readers == 0 && std::chrono::steady_clock::now() < until) {
      ASSERT_TRUE(publisher.Publish({.step = trainer.Step()}).ok());
    }
    for (unsigned i = random() % 300; i > 0; --i) {
      ASSERT_TRUE(publisher.Publish({.step = trainer.Step()}).ok());
    }
    follower.Kill();
    while (publisher.stats().readers != 0 && std::chrono::steady_clock::now() < until) {
      ASSERT_TRUE(publisher.Publish({.step = trainer.Step()}).ok());
    }
    ASSERT_EQ(publisher.stats().readers, 0);
    ASSERT_EQ(publisher.stats().oldest_in_use, 0u);
    if (round == 0) bytes = publisher.stats().bytes_in_use;
    ASSERT_EQ(publisher.stats().bytes_in_use, bytes);
  }
}

void HuntTornReads(int variables, int64_t elements, int64_t versions, int readers) {
  const std::string address = Address();
  Counting trainer(variables, elements);
  // Readers that get no processor time hold old versions until there is no room.
  Publisher publisher =
      trainer.Publish(address, {.retention = {.at_limit = RetentionOptions::AtLimit::kWait}});
  publisher.Publish({.step = trainer.Step()}).value();
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < readers; ++i) {
    children.push_back(
        std::make_unique<Child>(std::vector<std::string>{"follow", address, StrCat(versions)}));
  }
  while (publisher.stats().readers < readers) std::this_thread::yield();
  int64_t step = 1;
  while (step < versions) {
    step = trainer.Step();
    const auto published = publisher.Publish({.step = step});
    ASSERT_TRUE(published.ok()) << step << ": " << published.status().ToString();
  }
  for (auto& child : children) EXPECT_EQ(child->Wait(), 0);
}

TEST(StressTest, NoReaderSeesATornVersionOfASmallSet) {
  HuntTornReads(4, 64, Times(1) > 1 ? 1'000'000 : 1000, 8);
}

TEST(StressTest, NoReaderSeesATornVersionOfALargeSet) {
  HuntTornReads(10, Times(1) > 1 ? 2'500'000 : 100'000, Times(10), 8);
}

}  // namespace

int RunChild(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "publish") == 0) return PublishForEver(argv[2]);
  if (argc == 4 && std::strcmp(argv[1], "follow") == 0) return Follow(argv[2], std::atoll(argv[3]));
  return 9;
}

}  // namespace ramet

int main(int argc, char** argv) {
  if (std::strcmp(argv[0], "child") == 0) return ramet::RunChild(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
