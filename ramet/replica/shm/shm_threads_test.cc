// Tests a publisher and several followers on threads of one process, without sessions, so that
// ThreadSanitizer can run it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/shm_follower.h"
#include "ramet/replica/shm/shm_publisher.h"

namespace ramet::shm {
namespace {

constexpr int64_t kElements = 256;
constexpr uint64_t kVersions = 3000;
constexpr int kReaders = 4;

Announcement TwoVariables() {
  Announcement announcement;
  announcement.epoch = 7;
  for (const char* name : {"a", "b"}) {
    VariableSpec spec;
    spec.name = name;
    spec.dtype = DType::kFloat;
    spec.shape = Shape{kElements};
    announcement.signature.push_back(std::move(spec));
  }
  return announcement;
}

// Returns values that can be published, with every element set to `number`.
std::vector<Tensor> Filled(PublisherTransport& publisher, uint64_t number) {
  std::vector<Tensor> values;
  for (int i = 0; i < 2; ++i) {
    Tensor value = Tensor::Allocate(DType::kFloat, Shape{kElements}, publisher.allocator()).value();
    for (float& x : value.mutable_flat<float>()) x = static_cast<float>(number);
    values.push_back(publisher.MakePublishable(value).value());
  }
  return values;
}

bool IsWhole(const HeldVersion& held) {
  for (const Tensor& value : held.values) {
    for (float x : value.flat<float>()) {
      if (x != static_cast<float>(held.info.id.version)) return false;
    }
  }
  return held.values.size() == 2;
}

// Takes versions until the last one has arrived. Returns how many were not whole.
int Read(const std::string& address) {
  const auto soon = FollowerTransport::Clock::now() + std::chrono::seconds(60);
  auto follower = ConnectFollower(address, soon).value();
  uint64_t seen = 0, last = 0;
  int torn = 0;
  while (last < kVersions) {
    follower->Wait(&seen, FollowerTransport::Clock::now() + std::chrono::milliseconds(100));
    const uint64_t newest = follower->Newest("");
    if (newest == last || newest == 0) continue;
    const auto held = follower->Take(newest);
    if (!held.ok()) continue;
    torn += !IsWhole(**held);
    last = newest;
  }
  return torn;
}

TEST(ShmThreadsTest, ReadersSeeWholeVersionsWhilePublishingGoesOn) {
  const std::string address = StrCat("threads ", getpid());
  RetentionOptions retention;
  retention.at_limit = RetentionOptions::AtLimit::kWait;
  auto publisher = OpenPublisher(address, TwoVariables(), retention, {}).value();
  std::atomic<int> torn = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) readers.emplace_back([&] { torn += Read(address); });
  for (uint64_t version = 1; version <= kVersions; ++version) {
    const std::vector<Tensor> values = Filled(*publisher, version);
    ASSERT_EQ(publisher->Publish({}, values, {}, nullptr).value(), version);
    if (version % 100 == 0) {
      ASSERT_TRUE(publisher->Promote("stable", version).ok());
    }
    (void)publisher->stats();
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace ramet::shm
