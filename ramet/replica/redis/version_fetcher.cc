#include "ramet/replica/redis/version_fetcher.h"

#include <string>
#include <utility>

#include "ramet/base/strings.h"
#include "ramet/replica/redis/transfer.h"
#include "ramet/replica/version_limits.h"
#include "ramet/tensor/outside_values.h"

namespace ramet::redis {

// Retries once if the connection was cut since it was last used.
StatusOr<std::unique_ptr<HeldVersion>> VersionFetcher::Take(uint64_t version) {
  MutexLock lock(mutex_);
  const bool is_old = connection_ && connection_->usable();
  for (int attempt = is_old ? 0 : 1;; ++attempt) {
    if (!connection_ || !connection_->usable()) {
      auto opened = server_.Connect();
      if (!opened.ok()) return opened.status().WithContext(server_.where());
      connection_ = *std::move(opened);
    }
    auto taken = TakeBy(*connection_, version);
    if (taken.ok()) return taken;
    if (seen_.interrupted()) return Unavailable(server_.where(), ": the follower was closed");
    if (!connection_->usable() && IsUnavailable(taken.status()) && attempt == 0) continue;
    if (connection_->usable() && IsNotFound(taken.status())) {
      if (auto seen = ReadSeen(server_.keys, *connection_); seen.ok()) seen_.Note(*std::move(seen));
      return NotKept(version, seen_.Versions()).WithContext(server_.where());
    }
    return taken.status().WithContext(server_.where());
  }
}

StatusOr<std::unique_ptr<HeldVersion>> VersionFetcher::TakeBy(Connection& connection,
                                                              uint64_t version) {
  const ServerState state = seen_.state();
  if (state.epoch != announcement_.epoch) return NotFound("there is a different publisher now");
  const std::string key = server_.keys.version(state.epoch, version);
  const size_t max_bytes = MaxManifestBytes(announcement_.signature, state.chunk_bytes);
  RAMET_ASSIGN_OR_RETURN(const Reply reply, connection.Call({"GET", key}, max_bytes));
  if (reply.nil()) return NotFound("key ", key, " does not exist");
  RAMET_ASSIGN_OR_RETURN(const Manifest manifest,
                         ParseManifest(reply.view(), state, version, announcement_.signature));
  auto held = std::make_unique<HeldVersion>();
  held->info = manifest.info;
  RAMET_RETURN_IF_ERROR(FetchValues(connection, state, manifest, &held->values));
  return held;
}

// Does not fetch blobs that the previous version had too. If fetching fails, keeps what has arrived
// for the next attempt.
Status VersionFetcher::FetchValues(Connection& connection, const ServerState& state,
                                   const Manifest& manifest, std::vector<Tensor>* values) {
  std::map<uint64_t, Tensor> now;
  for (size_t i = 0; i < manifest.values.size(); ++i) {
    const Blob& blob = manifest.values[i];
    const VariableSpec& spec = announcement_.signature[i];
    const auto found = fetched_.find(blob.id);
    if (found != fetched_.end() && found->second.dtype() == spec.dtype &&
        found->second.shape() == spec.shape) {
      now[blob.id] = found->second;
      values->push_back(found->second);
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(Tensor value, Tensor::Allocate(spec.dtype, spec.shape));
    std::vector<WantedChunk> wanted;
    char* out = static_cast<char*>(value.raw_data());
    for (size_t c = 0; c < blob.chunks.size(); ++c) {
      const size_t bytes = RawBytes(blob, state.chunk_bytes, c);
      wanted.push_back({server_.keys.chunk(state.epoch, blob.id, c), blob.chunks[c], out, bytes});
      out += bytes;
    }
    if (const Status status = FetchChunks(connection, wanted); !status.ok()) {
      fetched_.merge(now);
      return status.WithContext(
          StrCat("version ", manifest.info.id.version, ", '", spec.name, "'"));
    }
    NormalizeBools(&value);
    now[blob.id] = value;
    values->push_back(std::move(value));
  }
  fetched_ = std::move(now);
  return OkStatus();
}

}  // namespace ramet::redis
