#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/name_lease.h"
#include "ramet/replica/redis/retired_keys.h"
#include "ramet/replica/redis/sent_versions.h"
#include "ramet/replica/redis/server.h"
#include "ramet/replica/transport.h"

namespace ramet::redis {

// The memory that a publisher's values may take.
struct SendLimits {
  uint64_t max_bytes = 0;    // of the values of all kept versions
  uint64_t other_bytes = 0;  // of the versions that will still be kept after the next one
};

// A Publication is a publisher's data on the server. It also keeps the values of all kept versions
// in memory, so that they can be sent again if the server loses them. Not thread-safe.
class Publication {
 public:
  // `server` must outlive the publication.
  Publication(const Server& server, Announcement announcement, const RetentionOptions& retention);
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  // Takes the name and announces what will be published. With `takeover`, takes the name from its
  // current publisher.
  // \error kAlreadyExists: the name has a publisher.
  Status Open(bool takeover);
  // Connects again, takes the name again, and sends what the server has lost.
  // \error kAborted: another publisher has taken the name.
  Status Reconnect();
  // The hold on the name. Releasing it ends the publication; the values stay until they expire.
  NameLease& lease() { return lease_; }
  // Renews the lease on the name and keeps values from expiring. Call it at lease().next_beat().
  // \error kUnavailable: the server has lost data. The connection is closed; call Reconnect.
  // \error kAborted: another publisher has taken the name.
  Status Beat();

  // Publishes a version: sends the values that have changed since the last one, then commits it.
  Status Send(const Outgoing& outgoing);
  // Publishes a kept version again as version `number`.
  // \error kNotFound: the version is not kept.
  Status Rollback(uint64_t version, uint64_t number);
  // \error kNotFound: the version is not kept.
  // \error kInvalidArgument: the label is invalid.
  // \error kResourceExhausted: there are too many labels.
  Status Promote(std::string_view label, uint64_t version);
  // Returns a kept version.
  // \error kNotFound: the version is not kept.
  StatusOr<const SentVersion*> Kept(uint64_t version) const;

  const Announcement& announcement() const { return announcement_; }
  PublisherStats stats() const;
  SendLimits limits() const;

 private:
  // A version whose commit has not been acknowledged.
  struct Pending {
    ServerState state;
    SentVersion sent;
  };
  // The publication that had the name before.
  struct Previous {
    uint64_t epoch = 0;
    std::optional<ServerState> state;  // until its keys are retired
  };

  Status Begin(bool takeover);
  Status Resume();
  Status SendAnnouncement();
  Status SendAll();
  Status Touch();
  Status Commit(const ServerState& next);
  Status Add(SentVersion sent);
  void Added();
  void FreeRetired();

  const Server& server_;
  Announcement announcement_;
  NameLease lease_;
  RetiredKeys retired_;
  SentVersions sent_;
  Clock::time_point next_touch_;
  Previous previous_;
  ServerState state_;  // the last committed state
  std::optional<Pending> pending_;
  PublisherStats stats_;
};

}  // namespace ramet::redis
