#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/transport.h"

// What lies on the server (docs/replicas-redis.md). What is read from there is checked before it is
// used: all sizes and counts, and that they fit each other.
namespace ramet::redis {

constexpr int kLayout = 1;
constexpr size_t kMaxStateBytes = size_t{8} << 20;
constexpr size_t kMaxSignatureBytes = size_t{64} << 20;
constexpr size_t kMaxGraphBytes = size_t{2} << 30;
constexpr size_t kMostLabels = 256;

// The names of all keys of a publication. They have one hash tag, so that a cluster keeps them on
// one node.
class Keys {
 public:
  explicit Keys(std::string_view name) : prefix_("ramet:{" + std::string(name) + "}:") {}
  std::string lock() const { return prefix_ + "lock"; }
  std::string state() const { return prefix_ + "state"; }
  std::string requests() const { return prefix_ + "requests"; }
  std::string notices() const { return prefix_ + "notices"; }  // a channel
  std::string answer(std::string_view id) const { return prefix_ + "answer:" + std::string(id); }
  std::string version(uint64_t epoch, uint64_t version) const;
  std::string hashes(uint64_t epoch, uint64_t version) const;
  std::string chunk(uint64_t epoch, uint64_t blob, size_t chunk) const;

 private:
  const std::string prefix_;
};

// One piece of a blob as it is stored.
struct Chunk {
  uint32_t bytes = 0;
  uint32_t crc = 0;  // CRC-32C of the stored bytes
  bool zstd = false;
  bool operator==(const Chunk&) const = default;
};

// Bytes that are stored in chunks, which stand for chunk_bytes each, but for the last one.
struct Blob {
  uint64_t id = 0;  // within the epoch; 0: none, of 0 bytes
  uint64_t bytes = 0;
  std::vector<Chunk> chunks;
  bool operator==(const Blob&) const = default;
};

uint64_t StoredBytes(const Blob& blob);
// How many bytes chunk `i` stands for.
size_t RawBytes(const Blob& blob, size_t chunk_bytes, size_t i);

// The one key that says what there is.
struct ServerState {
  uint64_t epoch = 0;
  uint64_t version = 0;  // the newest; 0: none yet
  size_t chunk_bytes = 0;
  std::vector<uint64_t> versions;  // those that can be taken, oldest first
  std::map<std::string, uint64_t> labels;
  Blob signature, graph;
  bool operator==(const ServerState&) const = default;
};

// What one version is.
struct Manifest {
  VersionInfo info;
  std::vector<Blob> values;  // in the order of the signature
};

std::string StateText(const ServerState& state);
std::string ManifestText(const Manifest& manifest);
// The most bytes that the manifest of such variables can have.
size_t MostManifestBytes(const ReplicaSignature& signature, size_t chunk_bytes);

// \error kFailedPrecondition for another layout; kDataLoss if it is damaged.
StatusOr<ServerState> ParseState(std::string_view text);
// `version` is the one that was asked for; what does not fit `state` and `signature` is damage.
StatusOr<Manifest> ParseManifest(std::string_view text, const ServerState& state, uint64_t version,
                                 const ReplicaSignature& signature);
// The blobs of a manifest whose signature is not known, for taking them away; none if damaged.
std::vector<Blob> BlobsOf(std::string_view manifest);

}  // namespace ramet::redis
