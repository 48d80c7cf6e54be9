#include "ramet/replica/redis/retired_keys.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ramet/base/strings.h"

namespace ramet::redis {
namespace {

// How long followers can continue to read a version that is not kept.
constexpr std::chrono::milliseconds kGrace{30'000};
constexpr size_t kMaxManifestBytes = size_t{64} << 20;

}  // namespace

void AppendChunkKeys(const Keys& names, uint64_t epoch, const Blob& blob,
                     std::vector<std::string>* keys) {
  for (size_t i = 0; i < blob.chunks.size(); ++i) keys->push_back(names.chunk(epoch, blob.id, i));
}

StatusOr<bool> ExpireKeys(Connection& connection, const std::vector<std::string>& keys,
                          std::chrono::milliseconds time) {
  bool all = true;
  for (size_t sent = 0, i = 0; i < keys.size(); ++i) {
    for (; sent < keys.size() && sent - i < kMaxPendingReplies; ++sent) {
      RAMET_RETURN_IF_ERROR(connection.Send({"PEXPIRE", keys[sent], StrCat(time.count())}));
    }
    RAMET_ASSIGN_OR_RETURN(const Reply reply, connection.Receive());
    RAMET_RETURN_IF_ERROR(ErrorOf(reply));
    all = all && reply.integer == 1;
  }
  return all;
}

void UnlinkKeys(const Link& link, const std::vector<std::string>& keys) {
  for (size_t i = 0; i < keys.size() && link.usable(); i += kMaxPendingReplies) {
    std::vector<std::string_view> command = {"UNLINK"};
    for (size_t k = i; k < std::min(keys.size(), i + kMaxPendingReplies); ++k) {
      command.push_back(keys[k]);
    }
    if (!link->Send(command).ok() || !link->Receive().ok()) return;
  }
}

void RetiredKeys::Add(std::vector<std::string> keys, uint64_t bytes) {
  if (link_.usable())
    ExpireKeys(*link_, keys, std::min(kGrace, server_.url.times.ttl)).status().IgnoreError();
  bytes_ += bytes;
  groups_.push_back({Clock::now() + kGrace, bytes, std::move(keys)});
}

void RetiredKeys::AddAll(const ServerState& left) {
  const Keys& names = server_.keys;
  std::vector<std::string> announcement;
  for (const Blob* blob : {&left.signature, &left.graph}) {
    AppendChunkKeys(names, left.epoch, *blob, &announcement);
  }
  Add(std::move(announcement), StoredBytes(left.signature) + StoredBytes(left.graph));
  for (uint64_t version : left.versions) {
    if (!link_.usable()) return;
    const std::string key = names.version(left.epoch, version);
    const auto manifest = link_->Call({"GET", key}, kMaxManifestBytes);
    if (!manifest.ok()) return;
    std::vector<std::string> keys = {key};
    uint64_t bytes = 0;
    for (const Blob& blob : BlobsOf(manifest->view())) {
      AppendChunkKeys(names, left.epoch, blob, &keys);
      bytes += StoredBytes(blob);
    }
    Add(std::move(keys), bytes);
  }
}

void RetiredKeys::Free(uint64_t max_bytes) {
  while (!groups_.empty()) {
    const bool gone = groups_.front().gone <= Clock::now();
    if (!gone && bytes_ <= max_bytes) return;
    if (!gone) UnlinkKeys(link_, groups_.front().keys);
    bytes_ -= groups_.front().bytes;
    groups_.pop_front();
  }
}

}  // namespace ramet::redis
