#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/redis/publication.h"
#include "ramet/replica/redis/signal.h"

namespace ramet::redis {

// A SendRoom decides whether the values of one more version fit into a publisher's memory. Not
// thread-safe.
class SendRoom {
 public:
  // `retained` is the number of versions that the publisher keeps.
  SendRoom(std::string where, int retained) : where_(std::move(where)), retained_(retained) {}
  void SetLimits(const SendLimits& limits) { limits_ = limits; }
  // Checks whether `values` fit. A value that is the same as in the newest version takes no memory.
  // \error kResourceExhausted: they do not fit.
  Status Check(std::span<const Tensor> values) const;
  // Makes `values` the newest ones, and moves the previous ones to `garbage`.
  void SetNewest(const std::vector<Tensor>& values, std::vector<Tensor>* garbage);

 private:
  const std::string where_;
  const int retained_;
  SendLimits limits_;
  std::vector<Tensor> newest_;
};

// A SendQueue passes versions from the thread that publishes to the one that sends them. It holds
// at most one version: a newer one replaces it. Thread-safe.
class SendQueue {
 public:
  // `wake` is set when there is a version or the queue is closed. It must outlive the queue.
  SendQueue(std::string where, const RetentionOptions& retention, const Signal& wake)
      : at_limit_(retention.at_limit), wake_(wake), room_(std::move(where), retention.retained) {}

  // Begins to accept versions for an open publication.
  void Begin(const Publication& publication);
  // Adds a version and returns its number. With AtLimit::kWait, waits until the previous one has
  // been sent, unless the server cannot be reached.
  // \error kCancelled: the client interrupts the wait.
  // \error kResourceExhausted: the kept versions would exceed RetentionOptions::max_bytes.
  // \error as given to Fail.
  StatusOr<uint64_t> Push(const VersionInfo& info, std::span<const Tensor> values,
                          std::span<const Tensor> sources);
  // Returns the number of the last version, which Push or NextNumber has assigned.
  uint64_t last_number() const;
  uint64_t NextNumber();
  PublisherStats stats() const;
  // Asks the sending thread to end, and waits for it to do so, for at most `time` or until the
  // client interrupts the wait.
  void Close(std::chrono::seconds time);

  // The functions below are for the sending thread.
  std::optional<Outgoing> Take();
  // Reports that a version that Take returned was sent, or failed with `status`. With `again`, it
  // is queued again unless there is a newer one.
  void NoteSent(std::optional<Outgoing> outgoing, const Status& status, bool again);
  // Returns the number of the version that waits to be sent, or 0.
  uint64_t unsent() const;
  // Records the publication's statistics and frees values that have been replaced.
  void Update(const Publication& publication);
  void SetLinked(bool linked);
  // Fails all future calls of Push.
  void Fail(const Status& why);
  Status failure() const;
  bool closing() const;
  // Waits for Close, for at most `time`.
  void WaitForClose(std::chrono::milliseconds time);
  // Reports that the sending thread is done.
  void Finish();

 private:
  // The state of the sending thread.
  struct Sender {
    bool sending = false;
    bool linked = false;
    bool closing = false;
    bool finished = false;
    Status failure;  // OK, or why publishing is impossible
  };

  const RetentionOptions::AtLimit at_limit_;
  const Signal& wake_;

  mutable Mutex mutex_;
  CondVar changed_;
  Sender sender_ RAMET_GUARDED_BY(mutex_);
  std::optional<Outgoing> queued_ RAMET_GUARDED_BY(mutex_);
  uint64_t last_number_ RAMET_GUARDED_BY(mutex_) = 0;
  SendRoom room_ RAMET_GUARDED_BY(mutex_);
  // Values that the sending thread frees, which may take long.
  std::vector<Tensor> garbage_ RAMET_GUARDED_BY(mutex_);
  PublisherStats stats_ RAMET_GUARDED_BY(mutex_);  // `skipped` is counted here
};

}  // namespace ramet::redis
