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
#include "ramet/replica/signature.h"
#include "ramet/tensor/tensor.h"
#include "ramet/variable/followed_values.h"

namespace ramet {

// The first message of a publisher to a follower.
struct Announcement {
  uint64_t epoch = 0;
  ReplicaSignature signature;
  std::string graph;  // a binary MetaGraphDef, or empty if no graph is published
};

// The hashes that identify the values of a version, as 32 hexadecimal digits each. They cover
// sorted names, dtypes, shapes and little-endian bytes (see docs/formats/version-hash.md), so that
// everybody computes the same ones.
struct VersionHashes {
  std::string source;   // of the trainer's names and values; a checkpoint of them has the same hash
  std::string content;  // of the published values, after renaming and conversion
  bool operator==(const VersionHashes&) const = default;
};

// Describes one version.
struct VersionInfo {
  VersionId id;
  int64_t time_nanos = 0;                      // since 1970, by the publisher's clock
  std::map<std::string, double> metrics = {};  // numbers of the user's choice
  uint64_t rollback_to = 0;  // the version that this one repeats, or 0 if it has new values
  // In a follower: whether the values have been verified, and if so, their hashes.
  VersionProof proof = VersionProof::kNotAsked;
  VersionHashes hashes = {};
};

// Controls how many versions a publisher keeps and how much memory they may take.
struct RetentionOptions {
  // The number of newest versions that followers can take, in addition to those that labels name.
  // At most 128 in shared memory and 1000 on a Redis server.
  int retained = 1;
  // Limit on the memory for values. 0: eight versions and 16 MiB.
  uint64_t max_bytes = 0;
  // Returns max_bytes, or what it is by default if one version has `version_bytes` bytes.
  uint64_t LimitFor(uint64_t version_bytes) const {
    return max_bytes != 0 ? max_bytes : 8 * version_bytes + (uint64_t{16} << 20);
  }
  // Behavior of Publish when followers hold so much that the limit is reached: publish nothing, or
  // wait until there is room.
  enum class AtLimit : uint8_t { kSkip, kWait } at_limit = AtLimit::kSkip;
};

// Controls access to a publisher.
struct AccessOptions {
  // Permission bits as for a file. Users with read permission may follow. Users with write
  // permission may also promote versions, roll back, and take over. Everybody else is refused.
  uint32_t mode = 0600;
  std::optional<uint32_t> group = {};  // the group that the group bits of `mode` apply to
  // Takes the address from a publisher that is already there, instead of failing. That publisher's
  // Publish then fails with kAborted. Its followers keep its last version until the first one of
  // the new publisher arrives. Has no effect for files.
  bool takeover = false;
};

// The statistics of a publisher.
struct PublisherStats {
  uint64_t epoch = 0;
  uint64_t version = 0;        // the newest version, or 0 if there is none
  int64_t step = -1;           // the trainer's step of that version; -1: unknown
  int64_t time_nanos = 0;      // when that version was published, since 1970
  uint64_t published = 0;      // versions published
  uint64_t skipped = 0;        // calls of Publish that found no room
  uint64_t bytes_copied = 0;   // bytes of values that were not in the publisher's memory
  uint64_t bytes_in_use = 0;   // memory or disk space taken by values
  int readers = 0;             // followers that are connected
  uint64_t oldest_in_use = 0;  // the oldest version that a follower holds, or 0 if there is none
  std::map<std::string, uint64_t> labels;  // the version that each label names
};

// DeviceCopies are copies of a version's values in device memory that followers in other processes
// map. The publisher fills them, and does not change them after the version is published.
struct DeviceCopies {
  virtual ~DeviceCopies() = default;
  std::vector<Tensor> values;  // in the order of the signature; empty for values without a copy
};

// A PublisherTransport is the publisher's end of a way to send versions to followers. Not
// thread-safe, except for stats, Promote and Release.
class PublisherTransport {
 public:
  virtual ~PublisherTransport() = default;
  // Returns the allocator for values that can be published without a copy; null for any allocator.
  virtual Allocator* allocator() { return nullptr; }
  // Returns `value` if it can be published where it is, or else a copy that can.
  virtual StatusOr<Tensor> MakePublishable(const Tensor& value) = 0;
  // Returns a publishable tensor, whose elements the caller writes.
  // \error kResourceExhausted: as for Publish, or the memory cannot be allocated.
  virtual StatusOr<Tensor> AllocatePublishable(DType dtype, const Shape& shape) {
    return Tensor::Allocate(dtype, shape);
  }
  // Prepares the memory of publishable tensors for copies from a device. Thread-safe.
  virtual void PrepareForCopies(const DeviceMemory& /*from*/) {}
  // Reserves device memory for copies of `values`, as far as followers in other processes want
  // them. The values are in the order of the signature, and those that are not in device memory are
  // empty. Returns null if nothing is to be copied. Thread-safe.
  virtual std::shared_ptr<DeviceCopies> ReserveOnDevice(std::span<const Tensor> /*values*/) {
    return nullptr;
  }
  // Publishes `values`, which are publishable and in the order of the signature, as a new version.
  // Returns its number, which is one more than the last one; info.id.version is ignored. `sources`
  // are the values before conversion, used for their hash. It is empty if nothing was converted.
  // `copies` are what ReserveOnDevice returned, filled, or null.
  // \error kResourceExhausted: followers hold so many versions that there is no room.
  virtual StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                                     std::span<const Tensor> sources,
                                     std::shared_ptr<const DeviceCopies> copies) = 0;
  // Makes a kept version the newest one again, under a new number, which it returns.
  // \error kNotFound: the version is not kept.
  virtual StatusOr<uint64_t> Rollback(uint64_t version) = 0;
  // Makes `label` name a kept version.
  // \error kNotFound: the version is not kept.
  virtual Status Promote(std::string_view label, uint64_t version) = 0;
  // Frees the values of old versions that followers have released.
  virtual void Release() {}
  // Waits until the last version can be taken, at transports that write or send it in the
  // background.
  // \error kUnavailable: the server could not be reached in time.
  // \error as for the file operations, if the version could not be written.
  virtual Status Flush() { return OkStatus(); }
  virtual PublisherStats stats() const = 0;
};

// A HeldVersion holds the values of one version for a follower. The values do not change while this
// object exists.
class HeldVersion {
 public:
  virtual ~HeldVersion() = default;
  VersionInfo info;
  std::vector<Tensor> values;  // in the order of the signature
};

// A FollowerTransport is a follower's connection to one publisher. Thread-safe.
class FollowerTransport {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~FollowerTransport() = default;
  virtual const Announcement& announcement() const = 0;
  // Returns the newest version, or the one that `label` names. 0: there is none yet.
  virtual uint64_t Newest(std::string_view label) const = 0;
  // Returns the versions that can be taken, oldest first.
  virtual std::vector<uint64_t> Versions() const = 0;
  // Takes the values of a version.
  // \error kNotFound: the version is not kept.
  // \error kDataLoss: the version is damaged.
  virtual StatusOr<std::unique_ptr<HeldVersion>> Take(uint64_t version) = 0;
  // Prepares the values' memory for copies to a device.
  virtual void PrepareForCopies(const DeviceMemory& /*to*/) {}
  // Returns value `entry` of a version that this object returned, in the memory of a device, if the
  // publisher has a copy there that this process can map. Otherwise returns an empty tensor. The
  // version is held as long as the tensor.
  virtual Tensor OnDevice(HeldVersion& /*version*/, size_t /*entry*/,
                          const DeviceMemory& /*memory*/) {
    return Tensor();
  }
  // Waits until there may be a change: a new version, a label, or the end of the publisher. `*seen`
  // is 0 in the first call; pass the value that the previous call left there to the next one.
  virtual void Wait(uint64_t* seen, Clock::time_point deadline) = 0;
  // Returns the hashes that the publisher has computed for a version. It computes them on request,
  // in the background. Hashes computed earlier may be available after the publisher has ended.
  // \error kNotFound: the version is not kept.
  // \error kUnavailable: the hashes are not known, and the publisher is not there.
  // \error kDeadlineExceeded: they were not computed by `deadline`.
  virtual StatusOr<VersionHashes> Hashes(uint64_t version, Clock::time_point deadline) = 0;
  // Ask the publisher to do the same.
  // \error as for Publisher.
  // \error kUnavailable: the publisher is not there.
  // \error kPermissionDenied: this user may follow but not control the publisher.
  virtual Status Promote(std::string_view label, uint64_t version) = 0;
  virtual StatusOr<uint64_t> Rollback(uint64_t version) = 0;
  virtual StatusOr<PublisherStats> PublisherStatus() = 0;
  // Ends current and future waits on this object.
  virtual void Interrupt() = 0;
  // Reports whether the publisher is there. Published versions can be taken even if it is not.
  virtual bool connected() const = 0;
  // Reports whether a publisher holds the address now. It differs from `connected` where a
  // connection needs no publisher.
  virtual bool has_publisher() const { return connected(); }
  // Returns the prefix of the checkpoint that holds a version, or "" if no file does.
  virtual std::string CheckpointOf(uint64_t /*version*/) const { return ""; }
  // Reports whether this object will get no more versions. A new connection might.
  virtual bool ended() const { return !connected(); }
};

}  // namespace ramet
