#include "ramet/replica/redis/publication.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/version_limits.h"

namespace ramet::redis {
namespace {

constexpr int kMaxOpenings = 5;
constexpr uint64_t kSignatureBlob = 1, kGraphBlob = 2, kFirstBlob = 3;

Status SendManifest(const Keys& keys, const SentVersion& sent, Upload* upload) {
  Manifest manifest{sent.outgoing.info, {}};
  for (const auto& blob : sent.blobs) manifest.values.push_back(blob->blob);
  const VersionId& id = manifest.info.id;
  return upload->Set(keys.version(id.epoch, id.version), ManifestText(manifest));
}

// Sends the blobs that have no chunks yet. Appends their keys to `keys` and adds their size to
// `*bytes`, also if an error occurs.
Status SendNewBlobs(const Keys& names, uint64_t epoch, const SentVersion& draft, Upload* upload,
                    std::vector<std::string>* keys, uint64_t* bytes) {
  for (const auto& sent : draft.blobs) {
    Blob& blob = sent->blob;
    if (!blob.chunks.empty()) continue;
    const Status status = upload->SetBlob(names, epoch, sent->contents(), &blob);
    *bytes += StoredBytes(blob);
    AppendChunkKeys(names, epoch, blob, keys);
    RAMET_RETURN_IF_ERROR(status);
  }
  return OkStatus();
}

}  // namespace

Publication::Publication(const Server& server, Announcement announcement,
                         const RetentionOptions& retention)
    : server_(server),
      announcement_(std::move(announcement)),
      lease_(server, announcement_.epoch),
      retired_(server, lease_.link()),
      sent_(retention, announcement_.signature, kFirstBlob) {
  state_.epoch = announcement_.epoch;
  state_.chunk_bytes = server.url.chunk_bytes;
  stats_.epoch = announcement_.epoch;
}

// Retries, because the lease may expire before everything is sent if this process gets little
// processor time.
Status Publication::Open(bool takeover) {
  for (int attempt = 1;; ++attempt) {
    RAMET_RETURN_IF_ERROR(lease_.link().Open());
    const Status status = Begin(takeover);
    if (IsCancelled(status)) lease_.Abandon();
    if (!IsUnavailable(status) || attempt == kMaxOpenings) return status;
  }
}

// Begins after the previous publisher: with a larger epoch, even if the clock was set back.
Status Publication::Begin(bool takeover) {
  RAMET_RETURN_IF_ERROR(lease_.Take(takeover));
  RAMET_ASSIGN_OR_RETURN(const Reply old,
                         lease_.link()->Call({"GET", server_.keys.state()}, kMaxStateBytes));
  if (auto state = ParseState(old.view()); state.ok()) {
    const uint64_t next_epoch = std::min(state->epoch, UINT64_MAX - 1) + 1;
    announcement_.epoch = std::max(announcement_.epoch, next_epoch);
    state_.epoch = stats_.epoch = announcement_.epoch;
    previous_ = {state->epoch, *std::move(state)};
  }
  RAMET_RETURN_IF_ERROR(SendAnnouncement());
  RAMET_RETURN_IF_ERROR(Commit(state_));
  next_touch_ = Clock::now() + server_.url.times.ttl / 4;
  return OkStatus();
}

// Takes the name again, and sends what the server has lost.
Status Publication::Resume() {
  RAMET_RETURN_IF_ERROR(lease_.Regain());
  RAMET_ASSIGN_OR_RETURN(const Reply now,
                         lease_.link()->Call({"GET", server_.keys.state()}, kMaxStateBytes));
  const auto state = ParseState(now.view());
  if (state.ok() && state->epoch != state_.epoch && state->epoch != previous_.epoch) {
    lease_.Release();
    return Aborted("another publisher has had the name in between; this one cannot publish");
  }
  if (state.ok() && pending_ && *state == pending_->state) {
    Added();
    return OkStatus();
  }
  pending_.reset();
  if (state.ok() && *state == state_) return OkStatus();
  if (!now.nil()) {
    LogInfo(server_.where(), ": the server has older or different values; sending all of them");
  }
  return SendAll();
}

Status Publication::Reconnect() {
  RAMET_RETURN_IF_ERROR(lease_.link().Open());
  Status status = Resume();
  if (status.ok()) status = Touch();
  if (IsNotFound(status)) status = SendAll();
  if (status.ok()) lease_.ScheduleBeat();
  if (!status.ok()) lease_.link().Close();
  return status;
}

Status Publication::SendAnnouncement() {
  Upload upload = lease_.NewUpload();
  const std::string signature = SignatureToJson(announcement_.signature);
  state_.signature.id = kSignatureBlob;
  RAMET_RETURN_IF_ERROR(upload.SetBlob(server_.keys, state_.epoch, signature, &state_.signature));
  state_.graph.id = kGraphBlob;
  RAMET_RETURN_IF_ERROR(
      upload.SetBlob(server_.keys, state_.epoch, announcement_.graph, &state_.graph));
  return upload.Finish();
}

// Sends everything again after the server has lost some of it. Blobs keep their ids, so that
// followers that have them do not fetch them again.
Status Publication::SendAll() {
  lease_.ScheduleBeat();
  RAMET_RETURN_IF_ERROR(SendAnnouncement());
  Upload upload = lease_.NewUpload();
  std::set<const SentBlob*> done;
  for (const auto& [version, sent] : sent_.all()) {
    for (const auto& blob : sent.blobs) {
      if (!done.insert(blob.get()).second) continue;
      RAMET_RETURN_IF_ERROR(
          upload.SetBlob(server_.keys, state_.epoch, blob->contents(), &blob->blob));
      stats_.bytes_copied += StoredBytes(blob->blob);
    }
    RAMET_RETURN_IF_ERROR(SendManifest(server_.keys, sent, &upload));
  }
  RAMET_RETURN_IF_ERROR(upload.Finish());
  return Commit(state_);
}

Status Publication::Beat() {
  RAMET_RETURN_IF_ERROR(lease_.Beat(state_));
  FreeRetired();
  if (Clock::now() < next_touch_) return OkStatus();
  const Status touched = Touch();
  if (!IsNotFound(touched)) return touched;
  lease_.link().Close();
  return Unavailable("the server has lost a part of the publication");
}

// Makes a state visible to followers, which is the last step of every change.
Status Publication::Commit(const ServerState& next) {
  RAMET_ASSIGN_OR_RETURN(const int64_t notified, lease_.Commit(next));
  stats_.readers = static_cast<int>(std::clamp<int64_t>(notified, 0, 1 << 30));
  state_ = next;
  return OkStatus();
}

Status Publication::Send(const Outgoing& outgoing) {
  // The commit succeeded, but the connection was lost before the reply arrived.
  if (sent_.Find(outgoing.info.id.version) != nullptr) return OkStatus();
  SentVersion draft = sent_.Draft(outgoing);
  std::vector<std::string> new_keys;
  uint64_t new_bytes = 0;
  Upload upload = lease_.NewUpload();
  Status status = SendNewBlobs(server_.keys, state_.epoch, draft, &upload, &new_keys, &new_bytes);
  if (status.ok()) status = SendManifest(server_.keys, draft, &upload);
  if (status.ok()) status = upload.Finish();
  if (status.ok()) status = Add(std::move(draft));
  if (status.ok()) {
    stats_.bytes_copied += new_bytes;
    return OkStatus();
  }
  if (lease_.link().usable()) UnlinkKeys(lease_.link(), new_keys);
  return status;
}

// Commits a version whose values have been sent. If the connection is lost before the reply
// arrives, Resume finds out whether the commit succeeded.
Status Publication::Add(SentVersion sent) {
  ServerState next = state_;
  next.version = sent.outgoing.info.id.version;
  next.versions = sent_.Kept(state_.labels, /*with_next=*/true);
  next.versions.push_back(next.version);
  pending_ = Pending{std::move(next), std::move(sent)};
  const Status status = Commit(pending_->state);
  if (status.ok()) {
    Added();
  } else if (lease_.link().usable()) {
    pending_.reset();
  }
  return status;
}

// Records that the pending version is committed and is the newest one.
void Publication::Added() {
  Pending pending = *std::exchange(pending_, std::nullopt);
  state_ = std::move(pending.state);
  const VersionInfo& info = pending.sent.outgoing.info;
  stats_.version = info.id.version;
  stats_.step = info.id.step;
  stats_.time_nanos = info.time_nanos;
  ++stats_.published;
  sent_.Add(std::move(pending.sent));
  sent_.Retire(server_.keys, state_, &retired_);
  FreeRetired();
  if (const auto left = std::exchange(previous_.state, std::nullopt)) retired_.AddAll(*left);
}

StatusOr<const SentVersion*> Publication::Kept(uint64_t version) const {
  if (const SentVersion* sent = sent_.Find(version)) return sent;
  return NotKept(version, state_.versions);
}

Status Publication::Rollback(uint64_t version, uint64_t number) {
  RAMET_ASSIGN_OR_RETURN(const SentVersion* kept, Kept(version));
  SentVersion sent = *kept;
  sent.outgoing.info.id.version = number;
  sent.outgoing.info.rollback_to = version;
  sent.outgoing.info.time_nanos = WallClockNanos();
  Upload upload = lease_.NewUpload();
  RAMET_RETURN_IF_ERROR(SendManifest(server_.keys, sent, &upload));
  RAMET_RETURN_IF_ERROR(upload.Finish());
  return Add(std::move(sent));
}

Status Publication::Promote(std::string_view label, uint64_t version) {
  RAMET_RETURN_IF_ERROR(Kept(version).status());
  if (label.empty() || label.size() > kMaxLabelBytes || label.find('@') != label.npos) {
    return InvalidArgument("'", label, "' is not a valid label; use 1 to ", kMaxLabelBytes,
                           " bytes without '@'");
  }
  ServerState next = state_;
  next.labels[std::string(label)] = version;
  if (next.labels.size() > kMaxLabels) {
    return ResourceExhausted("there are already ", kMaxLabels, " labels");
  }
  RAMET_RETURN_IF_ERROR(Commit(next));
  stats_.labels = state_.labels;
  return OkStatus();
}

// Keeps all keys from expiring.
// \error kNotFound: a key does not exist.
Status Publication::Touch() {
  next_touch_ = Clock::now() + server_.url.times.ttl / 4;
  std::vector<std::string> keys;
  AppendChunkKeys(server_.keys, state_.epoch, state_.signature, &keys);
  AppendChunkKeys(server_.keys, state_.epoch, state_.graph, &keys);
  sent_.AppendKeys(server_.keys, state_.epoch, &keys);
  RAMET_ASSIGN_OR_RETURN(const bool all, ExpireKeys(*lease_.link(), keys, server_.url.times.ttl));
  return all ? OkStatus() : NotFound("a key does not exist");
}

void Publication::FreeRetired() {
  const uint64_t kept_bytes = sent_.BytesOf(state_.versions);
  const uint64_t max_bytes = sent_.max_bytes();
  retired_.Free(max_bytes > kept_bytes ? max_bytes - kept_bytes : 0);
}

SendLimits Publication::limits() const {
  return {sent_.max_bytes(), sent_.BytesOf(sent_.Kept(state_.labels, /*with_next=*/true))};
}

PublisherStats Publication::stats() const {
  PublisherStats stats = stats_;
  stats.bytes_in_use = sent_.BytesOf(state_.versions) + retired_.bytes();
  return stats;
}

}  // namespace ramet::redis
