#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "ramet/replica/shm/channel.h"

namespace ramet::shm {

// How many connections a publisher keeps. Each takes a descriptor of the process that trains, which
// needs descriptors for its own files.
struct ReaderLimits {
  size_t connections = 0;  // 0: a share of what the process may have open (RLIMIT_NOFILE)
  // Connections whose greeting is not read yet. It carries descriptors, and the kernel counts those
  // under way against the publisher's user.
  size_t unread_of_process = 32;
  size_t unread_of_user = 64;  // users other than the publisher's own
};

// One connection as a ReaderQuota sees it.
struct Connected {
  Peer peer;
  std::chrono::steady_clock::time_point since;
  bool has_read = false;  // its greeting
};

// A ReaderQuota shares a publisher's connections among users and processes. It knows no sockets.
class ReaderQuota {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMaxConnections = 1024;
  // The process has so many descriptors for each one that followers may take.
  static constexpr size_t kDescriptorsPerConnection = 4;
  // A follower that is well reads its greeting sooner, unless the machine is very busy.
  static constexpr std::chrono::seconds kReadSoon{1};

  ReaderQuota() : ReaderQuota(ReaderLimits()) {}
  explicit ReaderQuota(const ReaderLimits& limits);
  ReaderQuota(ReaderQuota&& other) noexcept : limits_(other.limits_) { Count(1); }
  ReaderQuota& operator=(ReaderQuota&&) = delete;
  ~ReaderQuota() { Count(-1); }

  // Reports whether `newcomer` may connect if there is room.
  bool MayConnect(const Connected& newcomer, std::span<const Connected> connections) const;
  // Reports whether one of `connections` has to go before another one comes.
  bool IsFull(size_t connections) const;
  // Which one goes for `newcomer`: one that has not read its greeting for long, else one of the
  // user or process that has most. Nothing if the newcomer's share is no smaller than theirs.
  std::optional<size_t> VictimFor(const Connected& newcomer,
                                  std::span<const Connected> connections) const;
  // Reports whether so many descriptors of the process are open that it needs the rest. `any` is an
  // open one.
  static bool IsShortOfDescriptors(int any);

 private:
  static void Count(int lists);
  ReaderLimits limits_;
};

}  // namespace ramet::shm
