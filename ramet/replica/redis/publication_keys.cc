// What a publication has on the server, by key: how it is kept, and how it is let go.
#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/replica/redis/publication.h"

namespace ramet::redis {
namespace {

// How long followers can go on reading a version that is not kept any more.
constexpr std::chrono::milliseconds kGrace{30'000};
constexpr size_t kMostDue = 64;

}  // namespace

// Keeps all keys from expiring. \error kNotFound if one is gone.
Status Publication::Touch() {
  next_touch_ = Clock::now() + url_.ttl / 4;
  RAMET_ASSIGN_OR_RETURN(const bool all, Expire(AllKeys(), url_.ttl));
  return all ? OkStatus() : NotFound("a key is gone");
}

// Whether all of them are there.
StatusOr<bool> Publication::Expire(const std::vector<std::string>& keys,
                                   std::chrono::milliseconds time) {
  bool all = true;
  for (size_t sent = 0, i = 0; i < keys.size(); ++i) {
    for (; sent < keys.size() && sent - i < kMostDue; ++sent) {
      RAMET_RETURN_IF_ERROR(connection_->Send({"PEXPIRE", keys[sent], StrCat(time.count())}));
    }
    RAMET_ASSIGN_OR_RETURN(const Reply reply, connection_->Receive());
    RAMET_RETURN_IF_ERROR(ErrorOf(reply));
    all = all && reply.integer == 1;
  }
  return all;
}

// Lets go of versions that the state does not name any more.
void Publication::Retire() {
  for (auto it = kept_.begin(); it != kept_.end();) {
    if (std::ranges::find(state_.versions, it->first) != state_.versions.end()) {
      ++it;
      continue;
    }
    std::vector<std::string> keys = {keys_.version(state_.epoch, it->first)};
    uint64_t bytes = 0;
    for (BlobPtr& blob : it->second.blobs) {
      if (blob.use_count() > 1) continue;
      for (std::string& key : ChunkKeys(state_.epoch, blob->blob)) keys.push_back(std::move(key));
      bytes += StoredBytes(blob->blob);
    }
    it = kept_.erase(it);
    RetireKeys(std::move(keys), bytes);
  }
  FreeRetired();
}

// Followers that are reading them go on for a while; the server takes them away by itself then.
void Publication::RetireKeys(std::vector<std::string> keys, uint64_t bytes) {
  if (linked()) Expire(keys, std::min(kGrace, url_.ttl)).status().IgnoreError();
  retired_bytes_ += bytes;
  retired_.push_back({Clock::now() + kGrace, bytes, std::move(keys)});
}

void Publication::FreeRetired() {
  while (!retired_.empty()) {
    const bool gone = retired_.front().gone <= Clock::now();
    if (!gone && BytesOf(state_.versions) + retired_bytes_ <= max_bytes_) return;
    if (!gone) Unlink(retired_.front().keys);
    retired_bytes_ -= retired_.front().bytes;
    retired_.pop_front();
  }
}

void Publication::Unlink(const std::vector<std::string>& keys) {
  for (size_t i = 0; i < keys.size() && linked(); i += kMostDue) {
    std::vector<std::string_view> command = {"UNLINK"};
    for (size_t k = i; k < std::min(keys.size(), i + kMostDue); ++k) command.push_back(keys[k]);
    if (!connection_->Send(command).ok() || !connection_->Receive().ok()) return;
  }
}

// Takes away what the publisher before has left.
void Publication::CleanUp(const ServerState& old) {
  for (const Blob* blob : {&old.signature, &old.graph}) {
    RetireKeys(ChunkKeys(old.epoch, *blob), StoredBytes(*blob));
  }
  constexpr size_t kMostBytes = size_t{64} << 20;
  for (uint64_t version : old.versions) {
    if (!linked()) return;
    const std::string key = keys_.version(old.epoch, version);
    const auto manifest = connection_->Call({"GET", key}, kMostBytes);
    if (!manifest.ok()) return;
    std::vector<std::string> keys = {key};
    uint64_t bytes = 0;
    for (const Blob& blob : BlobsOf(manifest->view())) {
      for (std::string& chunk : ChunkKeys(old.epoch, blob)) keys.push_back(std::move(chunk));
      bytes += StoredBytes(blob);
    }
    RetireKeys(std::move(keys), bytes);
  }
}

std::vector<std::string> Publication::ChunkKeys(uint64_t epoch, const Blob& blob) const {
  std::vector<std::string> keys;
  for (size_t i = 0; i < blob.chunks.size(); ++i) keys.push_back(keys_.chunk(epoch, blob.id, i));
  return keys;
}

std::vector<std::string> Publication::AllKeys() const {
  std::vector<std::string> keys = ChunkKeys(state_.epoch, state_.signature);
  auto add = [&](const Blob& blob) {
    for (std::string& key : ChunkKeys(state_.epoch, blob)) keys.push_back(std::move(key));
  };
  add(state_.graph);
  for (const auto& kept : kept_) {
    keys.push_back(keys_.version(state_.epoch, kept.first));
    for (const BlobPtr& blob : kept.second.blobs) add(blob->blob);
  }
  return keys;
}

}  // namespace ramet::redis
