#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/retired_keys.h"
#include "ramet/replica/transport.h"

namespace ramet::redis {

// Values to be published as a version.
struct Outgoing {
  VersionInfo info;
  std::vector<Tensor> values;
  std::vector<Tensor> sources;
};

// A value, and where it is on the server. Versions share the blobs of values that do not change.
struct SentBlob {
  Blob blob;
  Tensor value;
  std::string_view contents() const;
};

// A version, and the blobs of its values, in the order of the signature.
struct SentVersion {
  Outgoing outgoing;  // shares its values with the blobs
  std::vector<std::shared_ptr<SentBlob>> blobs;
};

// SentVersions holds the versions that a publisher keeps on a server, with their values, so that
// values are not sent twice and can be sent again if the server loses them. Not thread-safe.
class SentVersions {
 public:
  // The blobs of values have the ids from `first_blob` on.
  SentVersions(const RetentionOptions& retention, const ReplicaSignature& signature,
               uint64_t first_blob);

  // Returns a version for `outgoing`. Values with the same bytes as in the newest version share its
  // blobs. The other blobs have an id but no chunks yet.
  SentVersion Draft(const Outgoing& outgoing);
  // Adds a version that has been sent, as the newest one.
  void Add(SentVersion sent);
  const std::map<uint64_t, SentVersion>& all() const { return versions_; }
  // Returns a version, or null if it is not kept.
  const SentVersion* Find(uint64_t version) const;
  // Returns the versions that are kept alongside a next one, or without a next one: the newest ones
  // and those with a label.
  std::vector<uint64_t> Kept(const std::map<std::string, uint64_t>& labels, bool with_next) const;
  // Drops the versions that `state` does not list, and retires their keys.
  void Retire(const Keys& keys, const ServerState& state, RetiredKeys* retired);

  // Returns the size of the values of these versions.
  uint64_t BytesOf(const std::vector<uint64_t>& versions) const;
  // Returns the limit on the size of all values.
  uint64_t max_bytes() const { return max_bytes_; }
  // Appends the keys of all versions.
  void AppendKeys(const Keys& names, uint64_t epoch, std::vector<std::string>* keys) const;

 private:
  const int retained_;
  const uint64_t max_bytes_;
  std::map<uint64_t, SentVersion> versions_;
  std::vector<std::shared_ptr<SentBlob>> newest_;
  uint64_t next_blob_;
};

}  // namespace ramet::redis
