#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/layout.h"

namespace ramet::redis {

// The state of a publication on a server at one moment.
struct Seen {
  ServerState state;
  bool published = false;  // the publication exists
  bool alive = false;      // the publisher holds the name
  bool linked = false;     // the server can be reached
  bool operator==(const Seen&) const = default;
};

// Reads the state of a publication.
// \error as for Connection::Receive, ErrorOf and ParseState.
StatusOr<Seen> ReadSeen(const Keys& keys, Connection& connection);

// A SeenState is what a follower has seen last of the publication of one epoch. Threads can wait
// for changes. Thread-safe.
class SeenState {
 public:
  // The functions below describe the publication of `epoch`. Call this once, before them.
  void Begin(uint64_t epoch, Seen seen);
  ServerState state() const;
  // Returns the newest version, or the one that `label` names. 0: there is none.
  uint64_t Newest(std::string_view label) const;
  std::vector<uint64_t> Versions() const;
  // Reports whether the publisher is there, or whether a new one has replaced it.
  bool connected() const;
  bool superseded() const;

  void Note(Seen seen);
  // Records that the server cannot be reached.
  void NoteCut();

  // Waits until the state differs from `*seen`, and updates that. Returns early after Interrupt.
  void Wait(uint64_t* seen, Clock::time_point deadline);
  // Waits for Interrupt, for at most `time`.
  void WaitForInterrupt(std::chrono::milliseconds time);
  // Ends current and future waits.
  void Interrupt();
  bool interrupted() const { return interrupted_; }

 private:
  bool IsCurrent() const RAMET_REQUIRES(mutex_);
  void Changed() RAMET_REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  uint64_t epoch_ RAMET_GUARDED_BY(mutex_) = 0;
  Seen seen_ RAMET_GUARDED_BY(mutex_);
  uint64_t changes_ RAMET_GUARDED_BY(mutex_) = 1;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace ramet::redis
