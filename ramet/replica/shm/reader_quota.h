#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "ramet/replica/shm/channel.h"

namespace ramet::shm {

// Limits on a publisher's connections. Each takes a descriptor of the training process, which needs
// descriptors for its own files.
struct ReaderLimits {
  size_t connections = 0;  // 0: a share of the process's limit (RLIMIT_NOFILE)
  // Connections with an unread greeting. Greetings carry descriptors, and the kernel counts those
  // in flight against the publisher's user.
  size_t unread_of_process = 32;
  size_t unread_of_user = 64;  // for users other than the publisher's own
};

// A connection, as seen by a ReaderQuota.
struct Connected {
  Peer peer;
  std::chrono::steady_clock::time_point since;
  bool has_read = false;  // its greeting
};

// A ReaderQuota shares a publisher's connections among users and processes. It uses no sockets.
class ReaderQuota {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kMaxConnections = 1024;
  // Followers may take one in this many of the process's descriptors.
  static constexpr size_t kDescriptorsPerConnection = 4;
  // A working follower reads its greeting within this time, unless the machine is very busy.
  static constexpr std::chrono::seconds kReadSoon{1};

  ReaderQuota() : ReaderQuota(ReaderLimits()) {}
  explicit ReaderQuota(const ReaderLimits& limits);
  ReaderQuota(ReaderQuota&& other) noexcept : limits_(other.limits_) { Count(1); }
  ReaderQuota& operator=(ReaderQuota&&) = delete;
  ~ReaderQuota() { Count(-1); }

  // Reports whether `newcomer` may connect if there is room.
  bool MayConnect(const Connected& newcomer, std::span<const Connected> connections) const;
  // Reports whether one of `connections` must be dropped before another one is accepted.
  bool IsFull(size_t connections) const;
  // Returns the connection to drop for `newcomer`: one that has not read its greeting for long, or
  // else one of the user or process with the most. Returns nothing unless the newcomer's share is
  // smaller.
  std::optional<size_t> VictimFor(const Connected& newcomer,
                                  std::span<const Connected> connections) const;
  // Reports whether the process has so many open descriptors that it needs the remaining ones.
  // `any` is an open one.
  static bool IsShortOfDescriptors(int any);

 private:
  static void Count(int lists);
  ReaderLimits limits_;
};

}  // namespace ramet::shm
