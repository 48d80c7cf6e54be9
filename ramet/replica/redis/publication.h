#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/transfer.h"
#include "ramet/replica/transport.h"

namespace ramet::redis {

// Values that are to be a version.
struct Outgoing {
  VersionInfo info;
  std::vector<Tensor> values;
  std::vector<Tensor> sources;
};

// What one publisher has on a server, and how it gets there. The values of all versions that are
// kept are held here too, so that all can be sent again if the server loses them. One thread at a
// time.
class Publication {
 public:
  Publication(RedisUrl url, Announcement announcement, const RetentionOptions& retention,
              bool takeover, const Signal& stop);

  // Takes the name (away from a publisher that has it, for a takeover) and says what will be
  // published. \error kAlreadyExists if somebody has the name.
  Status Open();
  // Connects anew: takes the name again, and sends what the server has lost.
  // \error kAborted if somebody else has taken the name.
  Status Reconnect();
  bool linked() const { return connection_ && connection_->usable(); }
  // When Beat is to be called next.
  Clock::time_point next_beat() const { return next_beat_; }
  // Keeps the name, and keeps values from expiring. \error kUnavailable if the server has lost
  // something (the connection is given up: Reconnect); kAborted as above.
  Status Beat();

  // Sends what has changed since the last version and makes them version `number`.
  Status Send(const Outgoing& outgoing);
  // Makes a kept version the newest again as version `number`.
  Status Rollback(uint64_t version, uint64_t number);
  Status Promote(std::string_view label, uint64_t version);
  // What is kept of a version; null: nothing.
  const Outgoing* Kept(uint64_t version) const;
  // Gives the name back. Values stay until they expire.
  void Close();

  const Keys& keys() const { return keys_; }
  const RedisUrl& url() const { return url_; }
  const Announcement& announcement() const { return announcement_; }
  Connection& connection() { return *connection_; }
  PublisherStats stats() const;
  // Of the values of versions that stay when another one comes.
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
    Outgoing outgoing;  // its values are those of the blobs
    std::vector<BlobPtr> blobs;
  };
  // A version whose commit has not been answered.
  struct Pending {
    ServerState state;
    Sent sent;
  };
  struct Retired {
    Clock::time_point gone;
    uint64_t bytes = 0;
    std::vector<std::string> keys;
  };

  Status Link();
  Status Begin();
  Status TakeName();
  void BeginAfter(uint64_t epoch);
  Status RegainName();
  Status SendAnnouncement();
  Status SendManifest(Upload& upload, const Sent& sent);
  Status SendAll();
  Status KeepName();
  Upload NewUpload();
  StatusOr<bool> Expire(const std::vector<std::string>& keys, std::chrono::milliseconds time);
  Status Touch();
  Status Commit(const ServerState& next);
  Status Add(Sent sent);
  void Added();
  Status OwnerError(const Reply& reply) const;
  std::vector<uint64_t> KeptBeside(uint64_t next) const;
  uint64_t BytesOf(const std::vector<uint64_t>& versions) const;
  void Retire();
  void RetireKeys(std::vector<std::string> keys, uint64_t bytes);
  void FreeRetired();
  void Unlink(const std::vector<std::string>& keys);
  void CleanUp(const ServerState& old);
  std::vector<std::string> ChunkKeys(uint64_t epoch, const Blob& blob) const;
  std::vector<std::string> AllKeys() const;

  const RedisUrl url_;
  const Keys keys_;
  Announcement announcement_;
  const std::string signature_text_;
  const RetentionOptions retention_;
  const bool takeover_;
  const Signal& stop_;
  const std::string token_;
  uint64_t max_bytes_ = 0;

  std::unique_ptr<Connection> connection_;
  Clock::time_point next_beat_, next_touch_;
  std::optional<ServerState> previous_;  // of the publisher before, until it is cleaned up
  uint64_t previous_epoch_ = 0;
  ServerState state_;  // as it was committed last
  std::optional<Pending> pending_;
  std::map<uint64_t, Sent> kept_;
  std::vector<BlobPtr> last_;  // of the newest version that was sent
  uint64_t next_blob_ = 1;
  std::deque<Retired> retired_;
  uint64_t retired_bytes_ = 0;
  PublisherStats stats_;
};

}  // namespace ramet::redis
