#include "ramet/replica/redis/publication.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"

namespace ramet::redis {
namespace {

constexpr uint64_t kDefaultVersions = 8;
constexpr uint64_t kSlackBytes = uint64_t{16} << 20;
constexpr size_t kMaxManifestBytes = size_t{64} << 20;
constexpr int kMaxOpenings = 5;
constexpr uint64_t kSignatureBlob = 1, kGraphBlob = 2, kFirstBlob = 3;

std::string_view Contents(const Tensor& value) {
  return {static_cast<const char*>(value.raw_data()), value.bytes()};
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  if (a.bytes() != b.bytes() || !(a.shape() == b.shape())) return false;
  if (a.buffer().get() == b.buffer().get()) return true;
  return a.bytes() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

uint64_t SetBytes(const ReplicaSignature& signature) {
  uint64_t bytes = 0;
  for (const VariableSpec& spec : signature) bytes += *TensorBytes(spec.dtype, spec.shape);
  return bytes;
}

}  // namespace

Publication::Publication(RedisUrl url, Announcement announcement, const RetentionOptions& retention,
                         bool takeover, const Signal& stop)
    : url_(std::move(url)),
      keys_(url_.name),
      announcement_(std::move(announcement)),
      signature_text_(SignatureToJson(announcement_.signature)),
      retention_(retention),
      takeover_(takeover),
      link_(url_, keys_.lock(), stop),
      lease_(url_, keys_, link_, announcement_.epoch),
      retired_(url_, link_),
      next_blob_(kFirstBlob) {
  max_bytes_ = retention.max_bytes
                   ? retention.max_bytes
                   : SetBytes(announcement_.signature) * kDefaultVersions + kSlackBytes;
  state_.epoch = announcement_.epoch;
  state_.chunk_bytes = url_.chunk_bytes;
  stats_.epoch = announcement_.epoch;
}

// Retries, because the lease may expire before everything is sent if this process gets little
// processor time.
Status Publication::Open() {
  for (int attempt = 1;; ++attempt) {
    RAMET_RETURN_IF_ERROR(link_.Open());
    const Status status = Begin();
    if (!IsUnavailable(status) || attempt == kMaxOpenings) return status;
  }
}

Status Publication::Begin() {
  RAMET_RETURN_IF_ERROR(lease_.Take(takeover_));
  RAMET_ASSIGN_OR_RETURN(const Reply old, link_->Call({"GET", keys_.state()}, kMaxStateBytes));
  if (auto state = ParseState(old.view()); state.ok()) {
    previous_epoch_ = state->epoch;
    BeginAfter(previous_epoch_);
    previous_ = *std::move(state);
  }
  RAMET_RETURN_IF_ERROR(SendAnnouncement());
  RAMET_RETURN_IF_ERROR(Commit(state_));
  next_touch_ = Clock::now() + url_.ttl / 4;
  return OkStatus();
}

// Makes the epoch larger than `epoch`, even if the clock was set back.
void Publication::BeginAfter(uint64_t epoch) {
  const uint64_t next = std::min(epoch, UINT64_MAX - 1) + 1;
  announcement_.epoch = std::max(announcement_.epoch, next);
  state_.epoch = stats_.epoch = announcement_.epoch;
}

// Takes the name again, and sends what the server has lost.
Status Publication::Resume() {
  RAMET_RETURN_IF_ERROR(lease_.Regain());
  RAMET_ASSIGN_OR_RETURN(const Reply now, link_->Call({"GET", keys_.state()}, kMaxStateBytes));
  const auto state = ParseState(now.view());
  if (state.ok() && state->epoch != state_.epoch && state->epoch != previous_epoch_) {
    Close();
    return Aborted("another publisher has had the name in between; this one cannot publish");
  }
  if (state.ok() && pending_ && *state == pending_->state) {
    Added();
    return OkStatus();
  }
  pending_.reset();
  if (state.ok() && *state == state_) return OkStatus();
  if (!now.nil())
    LogInfo(url_.ToString(), ": the server has older or different values; sending all of them");
  return SendAll();
}

Status Publication::Reconnect() {
  RAMET_RETURN_IF_ERROR(link_.Open());
  Status status = Resume();
  if (status.ok()) status = Touch();
  if (IsNotFound(status)) status = SendAll();
  if (status.ok()) lease_.ScheduleBeat();
  if (!status.ok()) link_.Close();
  return status;
}

Status Publication::SendAnnouncement() {
  Upload upload = NewUpload();
  state_.signature.id = kSignatureBlob;
  RAMET_RETURN_IF_ERROR(upload.SetBlob(keys_, state_.epoch, signature_text_, &state_.signature));
  state_.graph.id = kGraphBlob;
  RAMET_RETURN_IF_ERROR(upload.SetBlob(keys_, state_.epoch, announcement_.graph, &state_.graph));
  return upload.Finish();
}

Status Publication::SendManifest(Upload& upload, const Sent& sent) {
  Manifest manifest{sent.outgoing.info, {}};
  for (const BlobPtr& blob : sent.blobs) manifest.values.push_back(blob->blob);
  const VersionId& id = manifest.info.id;
  return upload.Set(keys_.version(id.epoch, id.version), ManifestText(manifest));
}

// Sends everything again after the server has lost some of it. Blobs keep their ids, so that
// followers that have them do not fetch them again.
Status Publication::SendAll() {
  lease_.ScheduleBeat();
  RAMET_RETURN_IF_ERROR(SendAnnouncement());
  Upload upload = NewUpload();
  std::set<const SentBlob*> done;
  for (const auto& kept : kept_) {
    for (const BlobPtr& blob : kept.second.blobs) {
      if (!done.insert(blob.get()).second) continue;
      RAMET_RETURN_IF_ERROR(
          upload.SetBlob(keys_, state_.epoch, Contents(blob->value), &blob->blob));
      stats_.bytes_copied += StoredBytes(blob->blob);
    }
    RAMET_RETURN_IF_ERROR(SendManifest(upload, kept.second));
  }
  RAMET_RETURN_IF_ERROR(upload.Finish());
  return Commit(state_);
}

Upload Publication::NewUpload() {
  return Upload(*link_, url_, [this] { return lease_.Keep(); });
}

Status Publication::Beat() {
  RAMET_RETURN_IF_ERROR(lease_.Beat(state_));
  FreeRetired();
  if (Clock::now() < next_touch_) return OkStatus();
  const Status touched = Touch();
  if (!IsNotFound(touched)) return touched;
  link_.Close();
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
  if (kept_.contains(outgoing.info.id.version)) return OkStatus();
  Sent sent{outgoing, {}};
  std::vector<std::string> new_keys;
  uint64_t new_bytes = 0;
  Upload upload = NewUpload();
  Status status;
  for (size_t i = 0; i < outgoing.values.size() && status.ok(); ++i) {
    if (i < last_.size() && SameBytes(last_[i]->value, outgoing.values[i])) {
      sent.blobs.push_back(last_[i]);
      sent.outgoing.values[i] = last_[i]->value;
      continue;
    }
    auto blob = std::make_shared<SentBlob>(SentBlob{{next_blob_++, 0, {}}, outgoing.values[i]});
    status = upload.SetBlob(keys_, state_.epoch, Contents(blob->value), &blob->blob);
    new_bytes += StoredBytes(blob->blob);
    for (std::string& key : ChunkKeys(keys_, state_.epoch, blob->blob)) {
      new_keys.push_back(std::move(key));
    }
    sent.blobs.push_back(std::move(blob));
  }
  if (status.ok()) status = SendManifest(upload, sent);
  if (status.ok()) status = upload.Finish();
  if (status.ok()) status = Add(std::move(sent));
  if (status.ok()) {
    stats_.bytes_copied += new_bytes;
    return OkStatus();
  }
  if (linked()) UnlinkKeys(link_, new_keys);
  return status;
}

// Commits a version whose values have been sent. If the connection is lost before the reply
// arrives, Resume finds out whether the commit succeeded.
Status Publication::Add(Sent sent) {
  ServerState next = state_;
  next.version = sent.outgoing.info.id.version;
  next.versions = KeptBeside(next.version);
  next.versions.push_back(next.version);
  pending_ = Pending{std::move(next), std::move(sent)};
  const Status status = Commit(pending_->state);
  if (status.ok()) {
    Added();
  } else if (linked()) {
    pending_.reset();
  }
  return status;
}

// Records that the pending version is committed and is the newest one.
void Publication::Added() {
  state_ = std::move(pending_->state);
  Sent sent = std::move(pending_->sent);
  pending_.reset();
  const VersionInfo& info = sent.outgoing.info;
  stats_.version = info.id.version;
  stats_.step = info.id.step;
  stats_.time_nanos = info.time_nanos;
  ++stats_.published;
  last_ = sent.blobs;
  kept_[info.id.version] = std::move(sent);
  Retire();
  if (previous_) CleanUp(*previous_);
  previous_.reset();
}

Status Publication::NotKept(uint64_t version) const {
  return NotFound("version ", version, " is not kept; the kept versions are ",
                  StrJoin(state_.versions, ", "));
}

const Outgoing* Publication::Kept(uint64_t version) const {
  const auto found = kept_.find(version);
  return found == kept_.end() ? nullptr : &found->second.outgoing;
}

Status Publication::Rollback(uint64_t version, uint64_t number) {
  const auto found = kept_.find(version);
  if (found == kept_.end()) return NotKept(version);
  Sent sent = found->second;
  sent.outgoing.info.id.version = number;
  sent.outgoing.info.rollback_to = version;
  sent.outgoing.info.time_nanos = WallClockNanos();
  Upload upload = NewUpload();
  RAMET_RETURN_IF_ERROR(SendManifest(upload, sent));
  RAMET_RETURN_IF_ERROR(upload.Finish());
  return Add(std::move(sent));
}

Status Publication::Promote(std::string_view label, uint64_t version) {
  if (!kept_.contains(version)) return NotKept(version);
  if (label.empty() || label.size() > 64 || label.find('@') != label.npos) {
    return InvalidArgument("'", label, "' is not a valid label; use 1 to 64 bytes without '@'");
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

// Returns the versions that are kept alongside `next`: the newest ones and those with a label.
std::vector<uint64_t> Publication::KeptBeside(uint64_t next) const {
  std::vector<uint64_t> versions;
  for (const auto& kept : kept_) versions.push_back(kept.first);
  const size_t room = static_cast<size_t>(std::max(retention_.retained, 1)) - (next != 0);
  const size_t newest = std::min(room, versions.size());
  const uint64_t oldest = newest == 0 ? UINT64_MAX : versions[versions.size() - newest];
  std::erase_if(versions, [&](uint64_t version) {
    return version < oldest && std::ranges::none_of(state_.labels, [&](const auto& label) {
             return label.second == version;
           });
  });
  return versions;
}

uint64_t Publication::BytesOf(const std::vector<uint64_t>& versions) const {
  std::set<const SentBlob*> blobs;
  uint64_t bytes = 0;
  for (uint64_t version : versions) {
    for (const BlobPtr& blob : kept_.at(version).blobs) {
      if (blobs.insert(blob.get()).second) bytes += blob->blob.bytes;
    }
  }
  return bytes;
}

// Keeps all keys from expiring.
// \error kNotFound: a key does not exist.
Status Publication::Touch() {
  next_touch_ = Clock::now() + url_.ttl / 4;
  RAMET_ASSIGN_OR_RETURN(const bool all, ExpireKeys(*link_, AllKeys(), url_.ttl));
  return all ? OkStatus() : NotFound("a key does not exist");
}

// Retires the versions that the state does not list.
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
      for (std::string& key : ChunkKeys(keys_, state_.epoch, blob->blob))
        keys.push_back(std::move(key));
      bytes += StoredBytes(blob->blob);
    }
    it = kept_.erase(it);
    retired_.Add(std::move(keys), bytes);
  }
  FreeRetired();
}

void Publication::FreeRetired() {
  const uint64_t kept_bytes = BytesOf(state_.versions);
  retired_.Free(max_bytes_ > kept_bytes ? max_bytes_ - kept_bytes : 0);
}

// Retires the keys that the previous publisher has left.
void Publication::CleanUp(const ServerState& old) {
  for (const Blob* blob : {&old.signature, &old.graph}) {
    retired_.Add(ChunkKeys(keys_, old.epoch, *blob), StoredBytes(*blob));
  }
  for (uint64_t version : old.versions) {
    if (!linked()) return;
    const std::string key = keys_.version(old.epoch, version);
    const auto manifest = link_->Call({"GET", key}, kMaxManifestBytes);
    if (!manifest.ok()) return;
    std::vector<std::string> keys = {key};
    uint64_t bytes = 0;
    for (const Blob& blob : BlobsOf(manifest->view())) {
      for (std::string& chunk : ChunkKeys(keys_, old.epoch, blob)) keys.push_back(std::move(chunk));
      bytes += StoredBytes(blob);
    }
    retired_.Add(std::move(keys), bytes);
  }
}

std::vector<std::string> Publication::AllKeys() const {
  std::vector<std::string> keys = ChunkKeys(keys_, state_.epoch, state_.signature);
  auto add = [&](const Blob& blob) {
    for (std::string& key : ChunkKeys(keys_, state_.epoch, blob)) keys.push_back(std::move(key));
  };
  add(state_.graph);
  for (const auto& kept : kept_) {
    keys.push_back(keys_.version(state_.epoch, kept.first));
    for (const BlobPtr& blob : kept.second.blobs) add(blob->blob);
  }
  return keys;
}

void Publication::Close() {
  if (!linked()) return;
  lease_.Release();
  link_.Close();
}

PublisherStats Publication::stats() const {
  PublisherStats stats = stats_;
  stats.bytes_in_use = BytesOf(state_.versions) + retired_.bytes();
  return stats;
}

}  // namespace ramet::redis
