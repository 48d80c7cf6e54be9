#include <cstring>
#include <functional>
#include <thread>

#include "liars.h"
#include "ramet/base/exception.h"
#include "ramet/base/strings.h"
#include "ramet/replica/files/files_follower.h"
#include "ramet/replica/redis/redis_follower.h"
#include "ramet/replica/redis/redis_publisher.h"
#include "ramet/replica/shm/shm_follower.h"
#include "ramet/replica/shm/shm_publisher.h"

namespace ramet::peers {
namespace {

using Clock = FollowerTransport::Clock;
using std::chrono::milliseconds;

constexpr int kVersions = 20;
constexpr auto kPatience = std::chrono::seconds(20);

// Reads every byte. Invalid memory ends the process.
uint64_t Sum(const HeldVersion& held) {
  uint64_t sum = 0;
  for (const Tensor& value : held.values) {
    const auto* bytes = static_cast<const unsigned char*>(value.raw_data());
    for (size_t i = 0; i < value.bytes(); i += 64) sum += bytes[i];
  }
  return sum;
}

// Uses a follower in every way that users do, partly depending on `random`.
void Use(FollowerTransport& follower, Random random) {
  uint64_t seen = 0;
  for (int round = 0; round < 4; ++round) {
    follower.Wait(&seen, Clock::now() + milliseconds(20));
    std::vector<uint64_t> versions = follower.Versions();
    versions.resize(std::min<size_t>(versions.size(), 4));
    versions.push_back(follower.Newest(""));
    versions.push_back(follower.Newest("stable"));
    for (uint64_t version : versions) {
      if (const auto held = follower.Take(version); held.ok()) (void)Sum(**held);
    }
    if (random.OneIn(4)) (void)follower.Hashes(versions.back(), Clock::now() + milliseconds(100));
    if (random.OneIn(8)) follower.Promote("stable", versions.back()).IgnoreError();
    if (random.OneIn(8)) (void)follower.Rollback(versions.back());
    if (random.OneIn(8)) (void)follower.PublisherStatus();
    (void)follower.connected();
  }
}

int Caught(const std::function<int()>& work) {
  try {
    return work();
  } catch (...) {
    return StatusOfException().code() == Code::kResourceExhausted ? kFine : kThrew;
  }
}

std::vector<Tensor> Values(PublisherTransport& publisher, int number) {
  std::vector<Tensor> values;
  for (const VariableSpec& spec : Signature()) {
    Tensor value = Tensor::Allocate(spec.dtype, spec.shape).value();
    std::memset(value.raw_data(), number & 1, value.bytes());
    auto publishable = publisher.MakePublishable(value);
    if (!publishable.ok()) return {};
    values.push_back(*std::move(publishable));
  }
  return values;
}

void PublishSome(PublisherTransport& publisher) {
  // A server that does not answer may take the time limit of each call.
  const auto end = Clock::now() + std::chrono::seconds(5);
  for (int i = 1; i <= kVersions && Clock::now() < end; ++i) {
    const std::vector<Tensor> values = Values(publisher, i);
    if (!values.empty()) (void)publisher.Publish({}, values, {}, nullptr);
    if (i % 4 == 0) publisher.Promote("stable", publisher.stats().version).IgnoreError();
    std::this_thread::sleep_for(milliseconds(5));
  }
}

}  // namespace

ReplicaSignature Signature() {
  return {{.name = "w", .dtype = DType::kFloat, .shape = Shape{8, 33}},
          {.name = "index", .dtype = DType::kInt64, .shape = Shape{5}},
          {.name = "mask", .dtype = DType::kBool, .shape = Shape{7}}};
}

Announcement HonestAnnouncement() { return {7, Signature(), "graph"}; }

int FollowShm(const std::string& name, Random random) {
  return Caught([&] {
    auto follower = shm::ConnectFollower(name, Clock::now() + std::chrono::seconds(2));
    if (follower.ok()) Use(**follower, random);
    return kFine;
  });
}

// An honest follower connects while the others lie, and must end up with the last version.
int PublishShm(const std::string& name) {
  return Caught([&] {
    auto publisher =
        shm::OpenPublisher(name, HonestAnnouncement(), {.max_bytes = uint64_t{64} << 20}, {});
    if (!publisher.ok()) return kStarved;
    PublishSome(**publisher);
    const auto deadline = Clock::now() + kPatience;
    while (Clock::now() < deadline) {
      const auto honest = shm::ConnectFollower(name, deadline);
      if (honest.ok() && (*honest)->Take((*honest)->Newest("")).ok()) return kFine;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return kStarved;
  });
}

int FollowRedis(int port, const std::string& name, Random random) {
  return Caught([&] {
    const std::string location =
        StrCat("//127.0.0.1:", port, "/", name, "?timeout=1&max_bytes=1000000");
    auto follower =
        redis::ConnectFollower("redis", location, Clock::now() + std::chrono::seconds(2));
    if (follower.ok()) Use(**follower, random);
    return kFine;
  });
}

int PublishRedis(int port, const std::string& name) {
  return Caught([&] {
    const std::string location = StrCat("//127.0.0.1:", port, "/", name, "?timeout=1");
    auto publisher = redis::OpenPublisher("redis", location, HonestAnnouncement(), {}, false);
    if (publisher.ok()) PublishSome(**publisher);
    return kFine;
  });
}

int FollowFolder(const std::string& folder, Random random) {
  return Caught([&] {
    auto follower = files::ConnectFollower(folder, Clock::now() + milliseconds(500));
    if (follower.ok()) Use(**follower, random);
    return kFine;
  });
}

}  // namespace ramet::peers
