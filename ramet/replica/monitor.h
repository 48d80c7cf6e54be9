#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/replica/transport.h"

namespace ramet {

// The state of an address at one moment.
struct ReplicaStatus {
  bool connected = false;  // whether a publisher holds the address
  uint64_t epoch = 0;
  uint64_t newest = 0;             // the newest version, or 0 if there is none yet
  std::vector<uint64_t> versions;  // versions that can be taken, oldest first
  PublisherStats publisher;        // the publisher's own figures; `readers` excludes this monitor
};

// A ReplicaMonitor observes and controls a publisher from outside. It does not follow any variables
// and needs no graph. Thread-safe.
class RAMET_EXPORT ReplicaMonitor {
 public:
  // Connects to the publisher at `address`; a label is ignored. Waits for it for up to `wait`, or
  // forever if that is negative.
  // \error kInvalidArgument: the address is invalid.
  // \error kNotFound: there is no publisher, and `wait` is 0.
  // \error kDeadlineExceeded: no publisher appears within `wait`.
  // \error kUnavailable: a process listens there but does not greet within 10 seconds, or within
  //   `wait` if that is longer.
  // \error kPermissionDenied: the publisher refuses the connection.
  // \error kFailedPrecondition: the publisher uses a different layout.
  static StatusOr<ReplicaMonitor> Open(std::string_view address,
                                       std::chrono::milliseconds wait = {});
  ReplicaMonitor(ReplicaMonitor&&) noexcept;
  ReplicaMonitor& operator=(ReplicaMonitor&&) noexcept;
  ~ReplicaMonitor();

  const std::string& address() const;
  const Announcement& announcement() const;
  // Returns the current state.
  // \error kUnavailable: the publisher has gone.
  // \error as for FollowerTransport::PublisherStatus.
  StatusOr<ReplicaStatus> Look();
  // Returns the newest version, or the one that `label` names. 0: there is none yet.
  uint64_t Newest(std::string_view label = "") const;
  // Returns the prefix of the checkpoint that holds a version. Returns "" if no checkpoint does, as
  // at all addresses but `file:`.
  std::string CheckpointOf(uint64_t version) const;
  // Reports whether this monitor will see no more versions; a new one might.
  bool ended() const;
  // Waits until something may have changed. Returns early if the publisher ends.
  void Wait(std::chrono::milliseconds timeout);

  // Ask the publisher to do what its functions of the same names do.
  // \error as for Publisher.
  // \error kUnavailable: the publisher has gone.
  // \error kPermissionDenied: this user may follow but not control the publisher.
  Status Promote(std::string_view label, uint64_t version);
  StatusOr<uint64_t> Rollback(uint64_t version);

 private:
  class Impl;
  explicit ReplicaMonitor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
