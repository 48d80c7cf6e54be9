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
constexpr uint64_t kSlack = uint64_t{16} << 20;
constexpr int kMostOpenings = 5;
constexpr uint64_t kSignatureBlob = 1, kGraphBlob = 2, kFirstBlob = 3;

// Scripts, so that nobody else takes the name in between.
constexpr std::string_view kCommit = R"(
local owner = redis.call('GET', KEYS[1])
if owner ~= ARGV[1] then return {0, owner or ''} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return {1, redis.call('PUBLISH', ARGV[5], ARGV[6])})";
constexpr std::string_view kKeep = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2]))";
constexpr std::string_view kBeat = R"(
local owner = redis.call('GET', KEYS[1])
if owner ~= ARGV[1] then return {0, owner or ''} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if redis.call('GET', KEYS[2]) ~= ARGV[3] then return {1, 0} end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {1, 1})";
constexpr std::string_view kClose = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('PUBLISH', ARGV[2], 'closed'))";

std::string_view Contents(const Tensor& value) {
  return {static_cast<const char*>(value.raw_data()), value.bytes()};
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  if (a.bytes() != b.bytes() || !(a.shape() == b.shape())) return false;
  if (a.buffer().get() == b.buffer().get()) return true;
  return a.bytes() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

std::string NewToken(uint64_t epoch) {
  std::random_device random;
  return StrCat(epoch, ":", (uint64_t{random()} << 32) | random());
}

uint64_t SetBytes(const ReplicaSignature& signature) {
  uint64_t bytes = 0;
  for (const VariableSpec& spec : signature) bytes += *TensorBytes(spec.dtype, spec.shape);
  return bytes;
}

std::string Text(std::chrono::milliseconds time) { return StrCat(time.count()); }

}  // namespace

Publication::Publication(RedisUrl url, Announcement announcement, const RetentionOptions& retention,
                         bool takeover, const Signal& stop)
    : url_(std::move(url)),
      keys_(url_.name),
      announcement_(std::move(announcement)),
      signature_text_(SignatureToJson(announcement_.signature)),
      retention_(retention),
      takeover_(takeover),
      stop_(stop),
      token_(NewToken(announcement_.epoch)),
      next_blob_(kFirstBlob) {
  max_bytes_ = retention.max_bytes ? retention.max_bytes
                                   : SetBytes(announcement_.signature) * kDefaultVersions + kSlack;
  state_.epoch = announcement_.epoch;
  state_.chunk_bytes = url_.chunk_bytes;
  stats_.epoch = announcement_.epoch;
}

Status Publication::Link() {
  RAMET_ASSIGN_OR_RETURN(connection_, Connection::Open(url_, keys_.lock(), stop_));
  return OkStatus();
}

// The lease may run out before everything is there, where this process gets no processor.
Status Publication::Open() {
  for (int attempt = 1;; ++attempt) {
    RAMET_RETURN_IF_ERROR(Link());
    const Status status = Begin();
    if (!IsUnavailable(status) || attempt == kMostOpenings) return status;
  }
}

Status Publication::Begin() {
  RAMET_RETURN_IF_ERROR(TakeName());
  RAMET_ASSIGN_OR_RETURN(const Reply old,
                         connection_->Call({"GET", keys_.state()}, kMaxStateBytes));
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

// The epoch differs from the one before also if the clock stands still or was set back.
void Publication::BeginAfter(uint64_t epoch) {
  const uint64_t next = std::min(epoch, UINT64_MAX - 1) + 1;
  announcement_.epoch = std::max(announcement_.epoch, next);
  state_.epoch = stats_.epoch = announcement_.epoch;
}

Status Publication::TakeName() {
  if (takeover_) {
    return connection_->Call({"SET", keys_.lock(), token_, "PX", Text(url_.lease)}).status();
  }
  RAMET_ASSIGN_OR_RETURN(const Reply taken, connection_->Call({"SET", keys_.lock(), token_, "NX",
                                                               "PX", Text(url_.lease)}));
  if (!taken.nil()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Reply owner, connection_->Call({"GET", keys_.lock()}));
  if (owner.view() == token_) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Reply left, connection_->Call({"PTTL", keys_.lock()}));
  return AlreadyExists(
      "there is a publisher of that name; if it has died, the name is free again in ",
      std::max<int64_t>(left.integer, 0), " ms; or ask for a takeover");
}

Status Publication::OwnerError(const Reply& reply) const {
  const bool array = reply.items.size() == 2;
  if (!array) return DataLoss("the server's answer to a script is none");
  if (reply.items[1].view().empty()) return NotFound("the name's lease has run out");
  return Aborted("another publisher has taken the name over; this one publishes no more");
}

// The name is ours again, or was all along.
Status Publication::RegainName() {
  RAMET_ASSIGN_OR_RETURN(const Reply taken, connection_->Call({"SET", keys_.lock(), token_, "NX",
                                                               "PX", Text(url_.lease)}));
  if (taken.nil()) {
    RAMET_ASSIGN_OR_RETURN(const Reply owner, connection_->Call({"GET", keys_.lock()}));
    if (owner.nil()) return Unavailable("the name's lease changes hands");
    if (owner.view() != token_) {
      return Aborted("another publisher has taken the name over; this one publishes no more");
    }
  }
  RAMET_ASSIGN_OR_RETURN(const Reply now,
                         connection_->Call({"GET", keys_.state()}, kMaxStateBytes));
  const auto state = ParseState(now.view());
  if (state.ok() && state->epoch != state_.epoch && state->epoch != previous_epoch_) {
    Close();
    return Aborted("another publisher has had the name meanwhile; this one publishes no more");
  }
  if (state.ok() && pending_ && *state == pending_->state) {
    Added();
    return OkStatus();
  }
  pending_.reset();
  if (state.ok() && *state == state_) return OkStatus();
  if (!now.nil())
    LogInfo(url_.ToString(), ": the server has older or other values: all are sent again");
  return SendAll();
}

Status Publication::Reconnect() {
  RAMET_RETURN_IF_ERROR(Link());
  Status status = RegainName();
  if (status.ok()) status = Touch();
  if (IsNotFound(status)) status = SendAll();
  if (status.ok()) next_beat_ = Clock::now() + url_.lease / 3;
  if (!status.ok()) connection_.reset();
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

// The server has lost all or some of it. Blobs keep their numbers, so that followers that have them
// do not fetch them again.
Status Publication::SendAll() {
  next_beat_ = Clock::now() + url_.lease / 3;
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

// While something long is being sent.
Status Publication::KeepName() {
  if (Clock::now() < next_beat_) return OkStatus();
  next_beat_ = Clock::now() + url_.lease / 3;
  RAMET_ASSIGN_OR_RETURN(const Reply kept, connection_->Call({"EVAL", kKeep, "1", keys_.lock(),
                                                              token_, Text(url_.lease)}));
  if (kept.integer == 1) return OkStatus();
  connection_.reset();
  return Unavailable("the server has lost the name's lease");
}

Upload Publication::NewUpload() {
  return Upload(*connection_, url_, [this] { return KeepName(); });
}

Status Publication::Beat() {
  next_beat_ = Clock::now() + url_.lease / 3;
  RAMET_ASSIGN_OR_RETURN(const Reply reply,
                         connection_->Call({"EVAL", kBeat, "2", keys_.lock(), keys_.state(), token_,
                                            Text(url_.lease), StateText(state_), Text(url_.ttl)}));
  if (reply.items.size() != 2 || reply.items[0].integer != 1 || reply.items[1].integer != 1) {
    const bool ours = reply.items.size() == 2 && reply.items[0].integer == 1;
    const Status status = ours ? OkStatus() : OwnerError(reply);
    connection_.reset();
    if (IsAborted(status)) return status;
    return Unavailable("the server has lost what was published");
  }
  FreeRetired();
  if (Clock::now() < next_touch_) return OkStatus();
  const Status touched = Touch();
  if (!IsNotFound(touched)) return touched;
  connection_.reset();
  return Unavailable("the server has lost some of what was published");
}

// The last step: followers see it, or they do not.
Status Publication::Commit(const ServerState& next) {
  RAMET_ASSIGN_OR_RETURN(
      const Reply reply,
      connection_->Call({"EVAL", kCommit, "2", keys_.lock(), keys_.state(), token_,
                         Text(url_.lease), StateText(next), Text(url_.ttl), keys_.notices(),
                         StrCat(next.version)}));
  if (reply.items.size() != 2 || reply.items[0].integer != 1) {
    const Status status = OwnerError(reply);
    connection_.reset();
    return IsNotFound(status) ? Unavailable(status.message()) : status;
  }
  next_beat_ = Clock::now() + url_.lease / 3;
  stats_.readers = static_cast<int>(std::clamp<int64_t>(reply.items[1].integer, 0, 1 << 30));
  state_ = next;
  return OkStatus();
}

Status Publication::Send(const Outgoing& outgoing) {
  // Its commit was carried out, but not answered.
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
    for (std::string& key : ChunkKeys(state_.epoch, blob->blob)) new_keys.push_back(std::move(key));
    sent.blobs.push_back(std::move(blob));
  }
  if (status.ok()) status = SendManifest(upload, sent);
  if (status.ok()) status = upload.Finish();
  if (status.ok()) status = Add(std::move(sent));
  if (status.ok()) {
    stats_.bytes_copied += new_bytes;
    return OkStatus();
  }
  if (linked()) Unlink(new_keys);
  return status;
}

// Commits the version, whose values are there. When the connection is lost before the answer comes,
// RegainName finds out what became of it.
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

// The version is committed: it is the newest one.
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
  return NotFound("version ", version, " is not kept (any more); there are ",
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
    return InvalidArgument("'", label, "' is no label; 1 to 64 bytes without @ are possible");
  }
  ServerState next = state_;
  next.labels[std::string(label)] = version;
  if (next.labels.size() > kMostLabels) {
    return ResourceExhausted("there are ", kMostLabels, " labels already");
  }
  RAMET_RETURN_IF_ERROR(Commit(next));
  stats_.labels = state_.labels;
  return OkStatus();
}

// The versions that stay when `next` comes: the newest ones, and those with a label.
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

void Publication::Close() {
  if (!linked()) return;
  connection_->Call({"EVAL", kClose, "1", keys_.lock(), token_, keys_.notices()})
      .status()
      .IgnoreError();
  connection_.reset();
}

PublisherStats Publication::stats() const {
  PublisherStats stats = stats_;
  stats.bytes_in_use = BytesOf(state_.versions) + retired_bytes_;
  return stats;
}

}  // namespace ramet::redis
