#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/link.h"
#include "ramet/replica/redis/name_lease.h"
#include "ramet/replica/redis/retired_keys.h"
#include "ramet/replica/redis/transfer.h"
#include "ramet/replica/transport.h"

namespace ramet::redis {

// Values to be published as a version.
struct Outgoing {
  VersionInfo info;
  std::vector<Tensor> values;
  std::vector<Tensor> sources;
};

// A Publication is a publisher's data on the server. It also keeps the values of all kept versions
// in memory, so that they can be sent again if the server loses them. Not thread-safe.
class Publication {
 public:
  Publication(RedisUrl url, Announcement announcement, const RetentionOptions& retention,
              bool takeover, const Signal& stop);
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  // Takes the name and announces what will be published. With `takeover`, takes the name from its
  // current publisher.
  // \error kAlreadyExists: the name has a publisher.
  Status Open();
  // Connects again, takes the name again, and sends what the server has lost.
  // \error kAborted: another publisher has taken the name.
  Status Reconnect();
  bool linked() const { return link_.usable(); }
  // Returns the time at which to call Beat.
  Clock::time_point next_beat() const { return lease_.next_beat(); }
  // Renews the lease on the name and keeps values from expiring.
  // \error kUnavailable: the server has lost data. The connection is closed; call Reconnect.
  // \error kAborted: another publisher has taken the name.
  Status Beat();

  // Publishes a version: sends the values that have changed since the last one, then commits it.
  Status Send(const Outgoing& outgoing);
  // Publishes a kept version again as version `number`.
  Status Rollback(uint64_t version, uint64_t number);
  Status Promote(std::string_view label, uint64_t version);
  // Returns the values of a kept version, or null if it is not kept.
  const Outgoing* Kept(uint64_t version) const;
  // Releases the name. The values stay until they expire.
  void Close();

  const Keys& keys() const { return keys_; }
  const RedisUrl& url() const { return url_; }
  const Announcement& announcement() const { return announcement_; }
  Connection& connection() { return *link_; }
  PublisherStats stats() const;
  // Returns the size of the versions that will still be kept after the next one.
  uint64_t BytesBesideNext() const { return BytesOf(KeptBeside(1)); }
  uint64_t max_bytes() const { return max_bytes_; }
  Status NotKept(uint64_t version) const;

 private:
  struct SentBlob {
    Blob blob;
    Tensor value;
  };
  using BlobPtr = std::shared_ptr<SentBlob>;
  struct Sent {
    Outgoing outgoing;  // shares its values with the blobs
    std::vector<BlobPtr> blobs;
  };
  // A version whose commit has not been acknowledged.
  struct Pending {
    ServerState state;
    Sent sent;
  };

  Status Begin();
  void BeginAfter(uint64_t epoch);
  Status Resume();
  Status SendAnnouncement();
  Status SendManifest(Upload& upload, const Sent& sent);
  Status SendAll();
  Upload NewUpload();
  Status Touch();
  Status Commit(const ServerState& next);
  Status Add(Sent sent);
  void Added();
  std::vector<uint64_t> KeptBeside(uint64_t next) const;
  uint64_t BytesOf(const std::vector<uint64_t>& versions) const;
  void Retire();
  void FreeRetired();
  void CleanUp(const ServerState& old);
  std::vector<std::string> AllKeys() const;

  const RedisUrl url_;
  const Keys keys_;
  Announcement announcement_;
  const std::string signature_text_;
  const RetentionOptions retention_;
  const bool takeover_;
  uint64_t max_bytes_ = 0;

  Link link_;
  NameLease lease_;
  RetiredKeys retired_;
  Clock::time_point next_touch_;
  std::optional<ServerState> previous_;  // state of the previous publisher, until it is cleaned up
  uint64_t previous_epoch_ = 0;
  ServerState state_;  // the last committed state
  std::optional<Pending> pending_;
  std::map<uint64_t, Sent> kept_;
  std::vector<BlobPtr> last_;  // blobs of the newest version sent
  uint64_t next_blob_ = 1;
  PublisherStats stats_;
};

}  // namespace ramet::redis
