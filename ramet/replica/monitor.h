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

// What is known of an address at one moment.
struct ReplicaStatus {
  bool connected = false;  // whether a publisher is there now
  uint64_t epoch = 0;
  uint64_t newest = 0;             // version; 0: none yet
  std::vector<uint64_t> versions;  // that can be taken, oldest first
  PublisherStats publisher;        // what it says of itself; readers without the one that asks
};

// A ReplicaMonitor looks at a publisher from elsewhere and gives it orders; it follows nothing and
// needs no graph. Thread-safe.
class RAMET_EXPORT ReplicaMonitor {
 public:
  // `address` is a publisher's, a label in it is of no account; a negative `wait` is for ever.
  // \error kInvalidArgument for the address; kDeadlineExceeded if nobody publishes there within
  //   `wait`; kPermissionDenied if the publisher refuses.
  static StatusOr<ReplicaMonitor> Open(std::string_view address,
                                       std::chrono::milliseconds wait = {});
  ReplicaMonitor(ReplicaMonitor&&) noexcept;
  ReplicaMonitor& operator=(ReplicaMonitor&&) noexcept;
  ~ReplicaMonitor();

  const std::string& address() const;
  const Announcement& announcement() const;
  // What is there now. \error kUnavailable if the publisher has gone; those of asking it.
  StatusOr<ReplicaStatus> Look();
  // Waits until something may have changed; returns early when the publisher has gone.
  void Wait(std::chrono::milliseconds timeout);

  // As Publisher's. \error as there; kUnavailable if the publisher has gone; kPermissionDenied.
  Status Promote(std::string_view label, uint64_t version);
  StatusOr<uint64_t> Rollback(uint64_t version);

 private:
  class Impl;
  explicit ReplicaMonitor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
