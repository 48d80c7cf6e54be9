// A long-running trainer that publishes to followers of every kind: processes that use each
// version, hold pins, follow a label or a folder, and one that repeatedly connects and disconnects.
// Every version seen must be whole. After a warm-up, no process may use more memory, descriptors or
// mappings, and the folder must not have more files.
//
// Takes a few seconds, or ten minutes with RAMET_STRESS=100 (make test-long).
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "ramet/base/scratch_dir.h"
#include "stress_testing.h"

namespace ramet {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kVariables = 5;
constexpr int64_t kElements = 20'000;
// Shared memory grows by this much when followers happen to hold more versions than before.
constexpr int64_t kSegment = 1 << 20;
constexpr auto kStepTime = 5ms;
constexpr int kStepsPerFile = 50;
constexpr int kStepsPerLabel = 30;
constexpr int kStepsPerRollback = 70;
constexpr int kVersionsPerPin = 60;
// By this version, each kind of event has happened a few times.
constexpr uint64_t kWarmUp = 6 * kStepsPerFile;

Seconds Duration() { return Times(1) >= 100 ? Seconds(600) : Seconds(3); }

volatile std::sig_atomic_t is_over = 0;
void End(int) { is_over = 1; }

PublisherOptions KeepingThree() {
  PublisherOptions options;
  options.retention.retained = 3;
  return options;
}

bool IsFine(const Status& status) { return status.ok() || IsResourceExhausted(status); }

// Trains and publishes to `shm`, and from time to time to `file`, until it is told to end.
int Publish(const std::string& shm, const std::string& file) {
  Counting trainer(kVariables, kElements);
  Publisher often = trainer.Publish(shm, KeepingThree());
  Publisher seldom = trainer.Publish(file, KeepingThree());
  auto next = Clock::now();
  for (int i = 0; !is_over; ++i) {
    const int64_t step = trainer.Step();
    const auto version = often.Publish({.step = step, .metrics = {{"loss", 1.0 / (i + 1)}}});
    if (!IsFine(version.status())) return 2;
    if (i % kStepsPerFile == 0 && !IsFine(seldom.Publish({.step = step}).status())) return 3;
    if (version.ok() && i % kStepsPerLabel == 0 && !often.Promote("stable", *version).ok()) {
      return 4;
    }
    if (version.ok() && i % kStepsPerRollback == kStepsPerRollback - 1 &&
        !IsFine(often.Rollback(*version - 1).status())) {
      return 5;
    }
    next += kStepTime;
    std::this_thread::sleep_until(next);
  }
  const PublisherStats stats = often.stats();
  std::printf("  %s: %llu versions, %llu skipped\n", shm.c_str(),
              static_cast<unsigned long long>(stats.published),
              static_cast<unsigned long long>(stats.skipped));
  return 0;
}

// Checks each version. If `pins`, holds one from time to time.
int Use(const std::string& address, bool pins) {
  auto follower = Follower::Open(address, Waiting());
  if (!follower.ok() || !follower->Wait(1, 30s).ok()) return 2;
  Checking check(*follower);
  int versions = 0;
  while (!is_over) {
    const auto came = follower->Wait(follower->current().id.version + 1, 100ms);
    if (!came.ok() && !IsDeadlineExceeded(came.status())) return 3;
    if (check.Check() < 0) return 4;
    ++versions;
    if (!pins || versions % kVersionsPerPin != 0) continue;
    const std::vector<uint64_t> kept = follower->Versions();
    if (kept.empty() || !follower->Pin(kept.front()).ok()) continue;
    std::this_thread::sleep_for(10 * kStepTime);
    if (check.Check() < 0) return 5;
    follower->Unpin();
  }
  std::printf("  %s: %d versions used\n", address.c_str(), versions);
  return 0;
}

// Follows briefly, over and over.
int ComeAndGo(const std::string& address) {
  int times = 0;
  for (; !is_over; ++times) {
    auto follower = Follower::Open(address, Waiting());
    if (!follower.ok() || !follower->Wait(1, 30s).ok()) return 2;
    Checking check(*follower);
    for (int i = 0; i < 3; ++i) {
      if (check.Check() < 0) return 3;
      std::this_thread::sleep_for(4 * kStepTime);
    }
  }
  std::printf("  %s: came %d times\n", address.c_str(), times);
  return 0;
}

// Returns the private memory of a process in KiB. `bytes_in_use` counts the shared memory.
int64_t AnonymousMemory(pid_t pid) {
  std::ifstream status(StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8));
  }
  return 0;
}

int64_t Lines(const std::string& path) {
  std::ifstream file(path);
  int64_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

int64_t FilesIn(const std::string& folder) {
  std::error_code ignored;
  return std::distance(std::filesystem::directory_iterator(folder, ignored), {});
}

// A number over time. Work in progress may raise it at any moment, so the maxima of two quarters
// are compared. The first quarter is the warm-up. A small leak per version has half of all versions
// to show up between the second quarter and the last.
class Figure {
 public:
  Figure(std::string name, int64_t slack) : name_(std::move(name)), slack_(slack) {}
  void Add(int64_t value) { samples_.push_back(value); }
  void Check() const {
    const int64_t early = Highest(1), late = Highest(3);
    std::printf("  %-34s %9lld %9lld\n", name_.c_str(), static_cast<long long>(early),
                static_cast<long long>(late));
    EXPECT_LE(late, early + slack_) << name_;
  }

 private:
  int64_t Highest(size_t quarter) const {
    const auto at = [&](size_t q) {
      return samples_.begin() + static_cast<std::ptrdiff_t>(samples_.size() * q / 4);
    };
    return *std::max_element(at(quarter), at(quarter + 1));
  }
  const std::string name_;
  const int64_t slack_;  // fluctuation that is allowed
  std::vector<int64_t> samples_;
};

// A child process and its resource usage.
class Member {
 public:
  Member(std::string name, std::vector<std::string> arguments)
      : child_(std::move(arguments)),
        memory_(name + ", KiB", 1024),
        descriptors_(name + ", descriptors", 8),
        mappings_(name + ", mappings", 16) {}
  void Sample() {
    memory_.Add(AnonymousMemory(child_.pid()));
    descriptors_.Add(FilesIn(StrCat("/proc/", child_.pid(), "/fd")));
    mappings_.Add(Lines(StrCat("/proc/", child_.pid(), "/maps")));
  }
  int End() {
    kill(child_.pid(), SIGTERM);
    return child_.Wait();
  }
  void Check() const {
    for (const Figure* figure : {&memory_, &descriptors_, &mappings_}) figure->Check();
  }

 private:
  Child child_;
  Figure memory_, descriptors_, mappings_;
};

// Reports whether all followers in shared memory are connected and each kind of event has happened.
bool IsUnderWay(const PublisherStats& stats) {
  return stats.readers >= 4 && stats.version >= kWarmUp;
}

TEST(SoakTest, NothingGrows) {
  const ScratchDir folder;
  const std::string shm = StrCat("shm:soak ", getpid()), file = StrCat("file:", folder.path());
  std::vector<std::unique_ptr<Member>> members;
  const auto add = [&](const char* name, std::vector<std::string> arguments) {
    members.push_back(std::make_unique<Member>(name, std::move(arguments)));
  };
  add("publisher", {"publish", shm, file});
  add("follower", {"use", shm});
  add("follower that pins", {"pin", shm});
  add("follower of a label", {"use", shm + "@stable"});
  add("follower of the folder", {"use", file});
  add("follower that comes and goes", {"come and go", shm});
  ReplicaMonitor monitor = ReplicaMonitor::Open(shm, 30s).value();
  const auto patience = Clock::now() + 60s;
  while (!IsUnderWay(monitor.Look().value().publisher) && Clock::now() < patience) {
    std::this_thread::sleep_for(kStepTime);
  }

  // If a follower stalls during a quarter of a short run, the difference is a few versions.
  const int64_t slack = (Duration() < 60s ? 6 : 2) * kSegment;
  Figure segments("shared memory, bytes", slack), files("files in the folder", 8);
  const auto end = Clock::now() + Duration();
  while (Clock::now() < end) {
    for (auto& member : members) member->Sample();
    segments.Add(static_cast<int64_t>(monitor.Look().value().publisher.bytes_in_use));
    files.Add(FilesIn(folder.path()));
    std::this_thread::sleep_for(Duration() / 300);
  }
  for (size_t i = members.size(); i-- > 0;) EXPECT_EQ(members[i]->End(), 0) << i;
  std::printf("  %-34s %9s %9s\n", "", "2nd", "4th quarter");
  for (const auto& member : members) member->Check();
  segments.Check();
  files.Check();
}

}  // namespace

int RunChild(const std::vector<std::string>& role) {
  std::signal(SIGTERM, End);
  if (role.size() == 3 && role[0] == "publish") return Publish(role[1], role[2]);
  if (role.size() == 2 && role[0] == "use") return Use(role[1], /*pins=*/false);
  if (role.size() == 2 && role[0] == "pin") return Use(role[1], /*pins=*/true);
  if (role.size() == 2 && role[0] == "come and go") return ComeAndGo(role[1]);
  return 9;
}

}  // namespace ramet

int main(int argc, char** argv) {
  if (std::strcmp(argv[0], "child") == 0) return ramet::RunChild({argv + 1, argv + argc});
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
