#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/replica/transport.h"

// The layout of a publication on the server (see docs/replicas-redis.md). Everything that is read
// from the server is checked before use: all sizes and counts, and their consistency.
namespace ramet::redis {

constexpr int kLayout = 1;
constexpr size_t kMaxStateBytes = size_t{8} << 20;
constexpr size_t kMaxSignatureBytes = size_t{64} << 20;
constexpr size_t kMaxGraphBytes = size_t{2} << 30;
constexpr size_t kMaxLabels = 256;

// The names of a publication's keys. They share a hash tag, so that a cluster keeps them on one
// node.
class Keys {
 public:
  explicit Keys(std::string_view name) : prefix_("ramet:{" + std::string(name) + "}:") {}
  std::string lock() const { return prefix_ + "lock"; }
  std::string state() const { return prefix_ + "state"; }
  std::string requests() const { return prefix_ + "requests"; }
  std::string notices() const { return prefix_ + "notices"; }  // a Pub/Sub channel
  std::string answer(std::string_view id) const { return prefix_ + "answer:" + std::string(id); }
  std::string version(uint64_t epoch, uint64_t version) const;
  std::string hashes(uint64_t epoch, uint64_t version) const;
  std::string chunk(uint64_t epoch, uint64_t blob, size_t chunk) const;

 private:
  const std::string prefix_;
};

// One piece of a blob, as stored.
struct Chunk {
  uint32_t bytes = 0;
  uint32_t crc = 0;  // CRC-32C of the stored bytes
  bool zstd = false;
  bool operator==(const Chunk&) const = default;
};

// Bytes stored in chunks. Each chunk holds chunk_bytes before compression, except for the last one.
struct Blob {
  uint64_t id = 0;  // unique within the epoch; 0: an empty blob
  uint64_t bytes = 0;
  std::vector<Chunk> chunks;
  bool operator==(const Blob&) const = default;
};

uint64_t StoredBytes(const Blob& blob);
// Returns the number of bytes in chunk `i` before compression.
size_t RawBytes(const Blob& blob, size_t chunk_bytes, size_t i);

// The contents of the key "state", which describes the publication.
struct ServerState {
  uint64_t epoch = 0;
  uint64_t version = 0;  // the newest version, or 0 if there is none yet
  size_t chunk_bytes = 0;
  std::vector<uint64_t> versions;  // versions that can be taken, oldest first
  std::map<std::string, uint64_t> labels;
  Blob signature, graph;
  bool operator==(const ServerState&) const = default;
};

// The contents of a version's key.
struct Manifest {
  VersionInfo info;
  std::vector<Blob> values;  // in the order of the signature
};

std::string StateText(const ServerState& state);
std::string ManifestText(const Manifest& manifest);
// Returns the maximum size of a manifest with these variables.
size_t MaxManifestBytes(const ReplicaSignature& signature, size_t chunk_bytes);

// Parses a state.
// \error kFailedPrecondition: the state has a different layout.
// \error kDataLoss: the state is damaged.
StatusOr<ServerState> ParseState(std::string_view text);
// Parses the manifest of `version`.
// \error kFailedPrecondition: the manifest has a different layout.
// \error kDataLoss: the manifest is damaged, or does not fit `version`, `state` or `signature`.
StatusOr<Manifest> ParseManifest(std::string_view text, const ServerState& state, uint64_t version,
                                 const ReplicaSignature& signature);
// Returns the blobs of a manifest without knowing its signature, so that they can be deleted.
// Returns nothing if the manifest is damaged.
std::vector<Blob> BlobsOf(std::string_view manifest);

}  // namespace ramet::redis
