#include "ramet/replica/redis/layout.h"

#include <algorithm>

#include "ramet/base/crc32c.h"
#include "ramet/base/json.h"
#include "ramet/base/strings.h"
#include "ramet/replica/redis/redis_url.h"
#include "ramet/replica/version_limits.h"
#include "ramet/replica/version_text.h"

namespace ramet::redis {
namespace {

constexpr size_t kMaxVersions = 100'000;
constexpr size_t kCrcDigits = 8;

std::string Hex(uint32_t value) {
  std::string text(kCrcDigits, '0');
  for (size_t i = 0; i < kCrcDigits; ++i) {
    text[kCrcDigits - 1 - i] = "0123456789abcdef"[(value >> (4 * i)) & 15];
  }
  return text;
}

// Returns the text of `json`, preceded by its checksum.
std::string Sealed(const Json& json) {
  const std::string text = PrintJson(json);
  return StrCat(Hex(crc32c::Value(text)), "\n", text);
}

Status Damaged(std::string_view what) {
  return DataLoss("the publication on the server is damaged: ", what);
}

StatusOr<Json> Unsealed(std::string_view sealed) {
  if (sealed.size() <= kCrcDigits || sealed[kCrcDigits] != '\n' ||
      Hex(crc32c::Value(sealed.substr(kCrcDigits + 1))) != sealed.substr(0, kCrcDigits)) {
    return Damaged("wrong checksum");
  }
  StatusOr<Json> json = ParseJson(sealed.substr(kCrcDigits + 1));
  if (!json.ok() || !json->is_object()) return Damaged("not a JSON object");
  return json;
}

// Sets `*value` and returns true if `json` is a nonnegative integer.
bool Number(const Json& json, uint64_t* value) {
  if (!json.is_number_unsigned()) return false;
  *value = json.get<uint64_t>();
  return true;
}

bool Member(const Json& json, const char* name, uint64_t* value) {
  const auto found = json.find(name);
  return found != json.end() && Number(*found, value);
}

bool Member(const Json& json, const char* name, int64_t* value) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_integer()) return false;
  *value = found->get<int64_t>();
  return true;
}

Json BlobToJson(const Blob& blob) {
  Json chunks = Json::array();
  for (const Chunk& chunk : blob.chunks)
    chunks.push_back({chunk.bytes, chunk.crc, chunk.zstd ? 1 : 0});
  return {blob.id, blob.bytes, chunks};
}

bool ChunkFromJson(const Json& json, Chunk* chunk) {
  uint64_t bytes = 0, crc = 0, zstd = 0;
  if (!json.is_array() || json.size() != 3 || !Number(json[0], &bytes) || !Number(json[1], &crc) ||
      !Number(json[2], &zstd)) {
    return false;
  }
  if (bytes == 0 || bytes > kMaxChunkBytes || crc > UINT32_MAX || zstd > 1) return false;
  *chunk = {static_cast<uint32_t>(bytes), static_cast<uint32_t>(crc), zstd == 1};
  return true;
}

bool BlobFromJson(const Json& json, Blob* blob) {
  if (!json.is_array() || json.size() != 3 || !Number(json[0], &blob->id) ||
      !Number(json[1], &blob->bytes) || !json[2].is_array()) {
    return false;
  }
  for (const Json& entry : json[2]) {
    Chunk chunk;
    if (!ChunkFromJson(entry, &chunk)) return false;
    blob->chunks.push_back(chunk);
  }
  return true;
}

// Reports whether the chunks have the sizes that the blob's size requires.
bool Fits(const Blob& blob, size_t chunk_bytes) {
  if (blob.chunks.size() != blob.bytes / chunk_bytes + (blob.bytes % chunk_bytes != 0))
    return false;
  if (blob.bytes > 0 && blob.id == 0) return false;
  for (size_t i = 0; i < blob.chunks.size(); ++i) {
    const size_t raw = RawBytes(blob, chunk_bytes, i);
    const Chunk& chunk = blob.chunks[i];
    if (chunk.zstd ? chunk.bytes >= raw : chunk.bytes != raw) return false;
  }
  return true;
}

Status CheckLayout(const Json& json) {
  uint64_t layout = 0;
  if (!Member(json, "layout", &layout)) return Damaged("layout is missing");
  if (layout == kLayout) return OkStatus();
  return FailedPrecondition("the publisher writes layout ", layout, ", this program reads layout ",
                            kLayout, "; use the same release of Ramet on both sides");
}

bool VersionsFromJson(const Json& json, ServerState* state) {
  if (!json.is_array() || json.size() > kMaxVersions) return false;
  for (const Json& entry : json) {
    uint64_t version = 0;
    if (!Number(entry, &version)) return false;
    if (version <= (state->versions.empty() ? 0 : state->versions.back())) return false;
    state->versions.push_back(version);
  }
  return state->version == (state->versions.empty() ? 0 : state->versions.back());
}

bool LabelsFromJson(const Json& json, ServerState* state) {
  if (!json.is_object() || json.size() > kMaxLabels) return false;
  for (const auto& [label, value] : json.items()) {
    uint64_t version = 0;
    if (!Number(value, &version)) return false;
    if (std::ranges::find(state->versions, version) == state->versions.end()) return false;
    state->labels[label] = version;
  }
  return true;
}

const Json& At(const Json& json, const char* name) {
  static const Json* const none = new Json;
  const auto found = json.find(name);
  return found == json.end() ? *none : *found;
}

}  // namespace

std::string Keys::version(uint64_t epoch, uint64_t version) const {
  return StrCat(prefix_, "version:", epoch, ":", version);
}
std::string Keys::hashes(uint64_t epoch, uint64_t version) const {
  return StrCat(prefix_, "hashes:", epoch, ":", version);
}
std::string Keys::chunk(uint64_t epoch, uint64_t blob, size_t chunk) const {
  return StrCat(prefix_, "blob:", epoch, ":", blob, ":", chunk);
}

uint64_t StoredBytes(const Blob& blob) {
  uint64_t bytes = 0;
  for (const Chunk& chunk : blob.chunks) bytes += chunk.bytes;
  return bytes;
}

size_t RawBytes(const Blob& blob, size_t chunk_bytes, size_t i) {
  return static_cast<size_t>(std::min<uint64_t>(chunk_bytes, blob.bytes - i * chunk_bytes));
}

std::string StateText(const ServerState& state) {
  return Sealed({{"layout", kLayout},
                 {"epoch", state.epoch},
                 {"version", state.version},
                 {"chunk_bytes", state.chunk_bytes},
                 {"versions", state.versions},
                 {"labels", state.labels},
                 {"signature", BlobToJson(state.signature)},
                 {"graph", BlobToJson(state.graph)}});
}

std::string ManifestText(const Manifest& manifest) {
  Json values = Json::array();
  for (const Blob& blob : manifest.values) values.push_back(BlobToJson(blob));
  const VersionInfo& info = manifest.info;
  return Sealed({{"layout", kLayout},
                 {"epoch", info.id.epoch},
                 {"version", info.id.version},
                 {"step", info.id.step},
                 {"time", info.time_nanos},
                 {"metrics", MetricsToText(info.metrics)},
                 {"rollback_to", info.rollback_to},
                 {"values", values}});
}

size_t MaxManifestBytes(const ReplicaSignature& signature, size_t chunk_bytes) {
  size_t bytes = 1024 + 2 * kMaxMetricsBytes;  // a string in JSON, whose quotes are escaped
  for (const VariableSpec& spec : signature) {
    const auto value = TensorBytes(spec.dtype, spec.shape);
    bytes += 64 + 32 * ((value.ok() ? *value : 0) / chunk_bytes + 1);
  }
  return bytes;
}

StatusOr<ServerState> ParseState(std::string_view text) {
  RAMET_ASSIGN_OR_RETURN(const Json json, Unsealed(text));
  RAMET_RETURN_IF_ERROR(CheckLayout(json));
  ServerState state;
  uint64_t chunk_bytes = 0;
  if (!Member(json, "epoch", &state.epoch) || !Member(json, "version", &state.version) ||
      !Member(json, "chunk_bytes", &chunk_bytes)) {
    return Damaged("epoch, version or chunk_bytes is missing");
  }
  if (chunk_bytes < kMinChunkBytes || chunk_bytes > kMaxChunkBytes) {
    return Damaged(StrCat("invalid chunk size of ", chunk_bytes, " bytes"));
  }
  state.chunk_bytes = static_cast<size_t>(chunk_bytes);
  if (!VersionsFromJson(At(json, "versions"), &state)) return Damaged("invalid list of versions");
  if (!LabelsFromJson(At(json, "labels"), &state)) return Damaged("invalid labels");
  if (!BlobFromJson(At(json, "signature"), &state.signature) ||
      !Fits(state.signature, state.chunk_bytes) || state.signature.bytes > kMaxSignatureBytes) {
    return Damaged("invalid entry of the signature");
  }
  if (!BlobFromJson(At(json, "graph"), &state.graph) || !Fits(state.graph, state.chunk_bytes) ||
      state.graph.bytes > kMaxGraphBytes) {
    return Damaged("invalid entry of the graph");
  }
  return state;
}

StatusOr<Manifest> ParseManifest(std::string_view text, const ServerState& state, uint64_t version,
                                 const ReplicaSignature& signature) {
  RAMET_ASSIGN_OR_RETURN(const Json json, Unsealed(text));
  RAMET_RETURN_IF_ERROR(CheckLayout(json));
  Manifest manifest;
  VersionInfo& info = manifest.info;
  if (!Member(json, "epoch", &info.id.epoch) || !Member(json, "version", &info.id.version) ||
      !Member(json, "step", &info.id.step) || !Member(json, "time", &info.time_nanos) ||
      !Member(json, "rollback_to", &info.rollback_to)) {
    return Damaged("invalid header of a version");
  }
  if (info.id.epoch != state.epoch || info.id.version != version) {
    return Damaged(StrCat("the key of version ", version, " of epoch ", state.epoch,
                          " holds version ", info.id.version, " of epoch ", info.id.epoch));
  }
  if (const Json& text = At(json, "metrics"); text.is_string()) {
    info.metrics = MetricsFromText(text.get_ref<const std::string&>());
  }
  const Json& values = At(json, "values");
  if (!values.is_array() || values.size() != signature.size()) {
    return Damaged(StrCat("version ", version, " does not have the signature's ", signature.size(),
                          " values"));
  }
  for (size_t i = 0; i < signature.size(); ++i) {
    Blob blob;
    const auto bytes = TensorBytes(signature[i].dtype, signature[i].shape);
    if (!BlobFromJson(values[i], &blob) || !Fits(blob, state.chunk_bytes) || !bytes.ok() ||
        blob.bytes != *bytes) {
      return Damaged(StrCat("invalid entry of '", signature[i].name, "' in version ", version));
    }
    manifest.values.push_back(std::move(blob));
  }
  return manifest;
}

std::vector<Blob> BlobsOf(std::string_view manifest) {
  std::vector<Blob> blobs;
  const auto json = Unsealed(manifest);
  if (!json.ok() || !At(*json, "values").is_array()) return blobs;
  for (const Json& value : At(*json, "values")) {
    Blob blob;
    if (!BlobFromJson(value, &blob)) return {};
    blobs.push_back(std::move(blob));
  }
  return blobs;
}

}  // namespace ramet::redis
