#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/op/followed_values.h"
#include "ramet/replica/signature.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// What a publisher says of itself before the first version.
struct Announcement {
  uint64_t epoch = 0;
  ReplicaSignature signature;
  std::string graph;  // a MetaGraphDef in binary form; empty: none is published
};

// What a version is known by, whoever computes it: hashes over sorted names, dtypes, shapes and
// little-endian bytes (docs/formats/version-hash.md), as 32 hexadecimal digits.
struct VersionHashes {
  std::string source;   // of the trainer's names and values, those of its checkpoint
  std::string content;  // of what was sent, after renaming and conversion
  bool operator==(const VersionHashes&) const = default;
};

// What is known of one version.
struct VersionInfo {
  VersionId id;
  int64_t time_nanos = 0;                      // since 1970, by the publisher's clock
  std::map<std::string, double> metrics = {};  // the user's own
  uint64_t rollback_to = 0;  // the version whose values these are again; 0: values of their own
  // At a follower: whether these values are known to be the published ones, and if so, the hashes.
  VersionProof proof = VersionProof::kNotAsked;
  VersionHashes hashes = {};
};

// How a publisher keeps versions for its followers.
struct RetentionOptions {
  // So many of the newest versions can be taken; besides those that labels name.
  int retained = 1;
  // No more memory than this for values; 0: what eight versions need.
  uint64_t max_bytes = 0;
  // What publishing does when followers hold so much that this is reached: it publishes nothing, or
  // waits until there is room.
  enum class AtLimit : uint8_t { kSkip, kWait } at_limit = AtLimit::kSkip;
};

// Who may follow.
struct AccessOptions {
  // As of a file: who may read may follow; who may write may also name versions, go back to one,
  // and take over. Others are refused.
  uint32_t mode = 0600;
  std::optional<uint32_t> group = {};  // whose the group's bits are
  // Asks a publisher that is at the address to end, instead of giving up; its followers go on with
  // what it published last, and then with what comes now. (Shared memory.)
  bool takeover = false;
};

struct PublisherStats {
  uint64_t epoch = 0;
  uint64_t version = 0;
  int64_t step = -1;
  int64_t time_nanos = 0;     // of that version, since 1970
  uint64_t published = 0;     // versions
  uint64_t skipped = 0;       // publishing that found no room
  uint64_t bytes_copied = 0;  // of values that were made elsewhere than where they are published
  uint64_t bytes_in_use = 0;  // memory or space that is taken for values
  int readers = 0;
  uint64_t oldest_in_use = 0;  // the oldest version that a reader holds; 0: none
  std::map<std::string, uint64_t> labels;
};

// A way that versions take from a publisher to followers: the publisher's end. One thread at a
// time, but for stats, Promote and LetGo.
class PublisherTransport {
 public:
  virtual ~PublisherTransport() = default;
  // Where values are best made; they are published without a copy. Null: anywhere.
  virtual Allocator* allocator() { return nullptr; }
  // `value` where it can be published: itself, or a copy.
  virtual StatusOr<Tensor> Place(const Tensor& value) = 0;
  // Makes `values` (placed; in the order of the signature) a version and returns its number, one
  // more than the last one's; info.id.version is not looked at. `sources` are the values before
  // conversion, for their hash, or nothing if there was none.
  // \error kResourceExhausted if followers hold so much that there is no room.
  virtual StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                                     std::span<const Tensor> sources) = 0;
  // Makes a version that is kept the newest one again, under a new number, which it returns.
  // \error kNotFound if it is not kept.
  virtual StatusOr<uint64_t> Rollback(uint64_t version) = 0;
  // Makes `label` name a version that is kept. \error kNotFound if it is not.
  virtual Status Promote(std::string_view label, uint64_t version) = 0;
  // Lets go of values that only followers held, and hold no longer. Any thread.
  virtual void LetGo() {}
  virtual PublisherStats stats() const = 0;
};

// Values of one version as a follower has taken them. They stay as they are until the end of this
// object.
class HeldVersion {
 public:
  virtual ~HeldVersion() = default;
  VersionInfo info;
  std::vector<Tensor> values;  // in the order of the signature
};

// A follower's end of one connection. Thread-safe.
class FollowerTransport {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~FollowerTransport() = default;
  virtual const Announcement& announcement() const = 0;
  // The newest version, or the one that the label names; 0: there is none yet.
  virtual uint64_t Newest(std::string_view label) const = 0;
  // Those that can be taken, oldest first.
  virtual std::vector<uint64_t> Versions() const = 0;
  // \error kNotFound if the version is not kept (any more); kDataLoss if it is damaged.
  virtual StatusOr<std::unique_ptr<HeldVersion>> Take(uint64_t version) = 0;
  // Waits until something may have changed: another version, a label, the publisher's end.
  // `*seen` is 0 at first, and then what the call before left there.
  virtual void Wait(uint64_t* seen, Clock::time_point deadline) = 0;
  // What the publisher has (or had, while it was there) computed of a version. It does so when it
  // is asked, in its own time. \error kNotFound if the version is not kept; kUnavailable if nobody
  // can
  //   say; kDeadlineExceeded.
  virtual StatusOr<VersionHashes> Hashes(uint64_t version, Clock::time_point deadline) = 0;
  // As the publisher's own. \error as there; kUnavailable if it is not there; kPermissionDenied.
  virtual Status Promote(std::string_view label, uint64_t version) = 0;
  virtual StatusOr<uint64_t> Rollback(uint64_t version) = 0;
  virtual StatusOr<PublisherStats> PublisherStatus() = 0;
  // Ends the waits of this object's users, now and later.
  virtual void Interrupt() = 0;
  // Whether the publisher is there. What was published can be taken also when it is not.
  virtual bool connected() const = 0;
  // Whether nothing more will come by this object, but may by connecting anew.
  virtual bool ended() const { return !connected(); }
};

}  // namespace ramet
