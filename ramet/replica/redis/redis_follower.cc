#include "ramet/replica/redis/redis_follower.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"
#include "ramet/replica/redis/asking.h"
#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/transfer.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_text.h"
#include "ramet/tensor/outside_values.h"

namespace ramet::redis {
namespace {

constexpr auto kFirstPause = std::chrono::milliseconds(20);
constexpr auto kMaxPause = std::chrono::milliseconds(1000);
constexpr auto kAnswerTime = std::chrono::seconds(30);
constexpr auto kMaxAnswerPause = std::chrono::milliseconds(50);
constexpr std::string_view kRequestMillis = "60000";

uint64_t MachineMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

class RedisFollower final : public FollowerTransport {
 public:
  explicit RedisFollower(RedisUrl url)
      : url_(std::move(url)), where_(url_.ToString()), keys_(url_.name) {}
  ~RedisFollower() override;
  Status Start(Clock::time_point deadline);

  const Announcement& announcement() const override { return announcement_; }
  uint64_t Newest(std::string_view label) const override;
  std::vector<uint64_t> Versions() const override;
  StatusOr<std::unique_ptr<HeldVersion>> Take(uint64_t version) override;
  void Wait(uint64_t* seen, Clock::time_point deadline) override;
  StatusOr<VersionHashes> Hashes(uint64_t version, Clock::time_point deadline) override;
  Status Promote(std::string_view label, uint64_t version) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  StatusOr<PublisherStats> PublisherStatus() override;
  void Interrupt() override;
  bool connected() const override;
  bool ended() const override;

 private:
  // The state of the server when it was last seen.
  struct Seen {
    ServerState state;
    bool published = false;  // the publication exists
    bool alive = false;      // the publisher holds the name
    bool linked = false;
    bool operator==(const Seen&) const = default;
  };

  StatusOr<std::unique_ptr<Connection>> Open() const {
    return Connection::Open(url_, keys_.lock(), stop_);
  }
  StatusOr<Seen> Look(Connection& connection) const;
  void Note(Seen seen);
  void NoteCut(const Status& why);
  Status ReadAnnouncement(Connection& connection, const ServerState& state);
  Status CheckSize() const;

  // Waits for Interrupt, for at most `time`.
  void WaitForInterrupt(std::chrono::milliseconds time);
  void Listen();
  Status ListenOn(Connection& notices, Connection& looks);

  StatusOr<std::unique_ptr<HeldVersion>> TakeBy(Connection& connection, uint64_t version)
      RAMET_REQUIRES(take_mutex_);
  Status FetchValues(Connection& connection, const ServerState& state, const Manifest& manifest,
                     std::vector<Tensor>* values) RAMET_REQUIRES(take_mutex_);
  StatusOr<Answer> Ask(Request request, Clock::time_point deadline);
  Status NotKept(uint64_t version) const;

  const RedisUrl url_;
  const std::string where_;
  const Keys keys_;
  const Signal stop_;
  Announcement announcement_;
  std::atomic<bool> interrupted_ = false;

  mutable Mutex mutex_;
  CondVar changed_;
  Seen seen_ RAMET_GUARDED_BY(mutex_);
  uint64_t changes_ RAMET_GUARDED_BY(mutex_) = 1;

  Mutex take_mutex_;
  std::unique_ptr<Connection> fetching_ RAMET_GUARDED_BY(take_mutex_);
  // Values of the last version taken, by blob.
  std::map<uint64_t, Tensor> fetched_ RAMET_GUARDED_BY(take_mutex_);

  // Used by the listening thread only.
  std::chrono::milliseconds pause_ = kFirstPause;
  bool has_warned_ = false;
  std::thread listener_;
};

Status RedisFollower::Start(Clock::time_point deadline) {
  RedisUrl url = url_;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  url.timeout = std::max(std::min(url.timeout, left), std::chrono::milliseconds(1));
  RAMET_ASSIGN_OR_RETURN(auto connection, Connection::Open(url, keys_.lock(), stop_));
  RAMET_ASSIGN_OR_RETURN(const Seen seen, Look(*connection));
  if (!seen.published) return NotFound("nothing is published under that name");
  RAMET_RETURN_IF_ERROR(ReadAnnouncement(*connection, seen.state));
  Note(seen);
  return StartThread(&listener_, [this] { Listen(); });
}

RedisFollower::~RedisFollower() {
  Interrupt();
  if (listener_.joinable()) listener_.join();
}

StatusOr<RedisFollower::Seen> RedisFollower::Look(Connection& connection) const {
  RAMET_RETURN_IF_ERROR(connection.Send({"GET", keys_.state()}));
  RAMET_RETURN_IF_ERROR(connection.Send({"GET", keys_.lock()}));
  RAMET_ASSIGN_OR_RETURN(const Reply state, connection.Receive(kMaxStateBytes));
  RAMET_ASSIGN_OR_RETURN(const Reply lock, connection.Receive());
  RAMET_RETURN_IF_ERROR(ErrorOf(state));
  Seen seen;
  seen.linked = true;
  seen.alive = !lock.view().empty();
  seen.published = !state.nil();
  if (seen.published) {
    RAMET_ASSIGN_OR_RETURN(seen.state, ParseState(state.view()));
  }
  return seen;
}

Status RedisFollower::ReadAnnouncement(Connection& connection, const ServerState& state) {
  announcement_.epoch = state.epoch;
  RAMET_ASSIGN_OR_RETURN(const std::string signature,
                         FetchText(connection, keys_, state, state.signature));
  RAMET_ASSIGN_OR_RETURN(announcement_.signature, SignatureFromJson(signature));
  RAMET_RETURN_IF_ERROR(CheckSize());
  RAMET_ASSIGN_OR_RETURN(announcement_.graph, FetchText(connection, keys_, state, state.graph));
  return OkStatus();
}

Status RedisFollower::CheckSize() const {
  const uint64_t limit = url_.max_bytes ? url_.max_bytes : MachineMemory();
  uint64_t bytes = 0;
  for (const VariableSpec& spec : announcement_.signature) {
    RAMET_ASSIGN_OR_RETURN(const size_t value, TensorBytes(spec.dtype, spec.shape));
    if (value > limit - bytes) {
      return ResourceExhausted("the published values take more than ", limit, " bytes, which is ",
                               url_.max_bytes ? "option max_bytes" : "this machine's memory");
    }
    bytes += value;
  }
  return OkStatus();
}

void RedisFollower::Note(Seen seen) {
  MutexLock lock(mutex_);
  if (seen == seen_) return;
  seen_ = std::move(seen);
  ++changes_;
  changed_.NotifyAll();
}

void RedisFollower::NoteCut(const Status& why) {
  if (!has_warned_ && !IsCancelled(why)) {
    has_warned_ = true;
    LogWarning(where_, ": ", why.message(), "; the current version stays until the server is back");
  }
  MutexLock lock(mutex_);
  if (!seen_.linked) return;
  seen_.linked = false;
  ++changes_;
  changed_.NotifyAll();
}

void RedisFollower::WaitForInterrupt(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!interrupted_ && changed_.WaitUntil(mutex_, deadline)) continue;
}

// Keeps seen_ up to date, through two separate connections.
void RedisFollower::Listen() {
  std::minstd_rand random(std::random_device{}());
  while (!interrupted_) {
    NoteCut(Guarded([this] {
      RAMET_ASSIGN_OR_RETURN(const auto looks, Open());
      RAMET_ASSIGN_OR_RETURN(const auto notices, Open());
      return ListenOn(*notices, *looks);
    }));
    const auto jitter = std::chrono::milliseconds(random() % static_cast<uint64_t>(pause_.count()));
    WaitForInterrupt(pause_ + jitter);
    pause_ = std::min<std::chrono::milliseconds>(pause_ * 2, kMaxPause);
  }
}

// Listens until one of the connections is cut. A notification only triggers an earlier look, so it
// may be missed, and a user without permission for notifications can follow too.
Status RedisFollower::ListenOn(Connection& notices, Connection& looks) {
  const Status subscribed = notices.Call({"SUBSCRIBE", keys_.notices()}).status();
  if (!subscribed.ok() && !IsPermissionDenied(subscribed)) return subscribed;
  while (!interrupted_) {
    auto seen = Look(looks);
    if (!seen.ok()) return seen.status();
    if (has_warned_) LogInfo(where_, ": connected again");
    has_warned_ = false;
    pause_ = kFirstPause;
    Note(*std::move(seen));
    RAMET_ASSIGN_OR_RETURN(bool input, notices.WaitForInput(nullptr, Clock::now() + url_.poll));
    while (input) {
      RAMET_RETURN_IF_ERROR(notices.Receive().status());
      RAMET_ASSIGN_OR_RETURN(input, notices.WaitForInput(nullptr, Clock::now()));
      if (interrupted_) break;
    }
  }
  return Cancelled("interrupted");
}

uint64_t RedisFollower::Newest(std::string_view label) const {
  MutexLock lock(mutex_);
  if (!seen_.published || seen_.state.epoch != announcement_.epoch) return 0;
  if (label.empty()) return seen_.state.version;
  const auto found = seen_.state.labels.find(std::string(label));
  return found == seen_.state.labels.end() ? 0 : found->second;
}

std::vector<uint64_t> RedisFollower::Versions() const {
  MutexLock lock(mutex_);
  if (!seen_.published || seen_.state.epoch != announcement_.epoch) return {};
  return seen_.state.versions;
}

Status RedisFollower::NotKept(uint64_t version) const {
  return NotFound(where_, ": version ", version, " is not kept; the kept versions are ",
                  StrJoin(Versions(), ", "));
}

// Retries once if the connection was cut since it was last used.
StatusOr<std::unique_ptr<HeldVersion>> RedisFollower::Take(uint64_t version) {
  MutexLock take_lock(take_mutex_);
  const bool is_old = fetching_ && fetching_->usable();
  for (int attempt = is_old ? 0 : 1;; ++attempt) {
    if (!fetching_ || !fetching_->usable()) {
      auto opened = Open();
      if (!opened.ok()) return opened.status().WithContext(where_);
      fetching_ = *std::move(opened);
    }
    auto taken = TakeBy(*fetching_, version);
    if (taken.ok()) return taken;
    if (interrupted_) return Unavailable(where_, ": the follower was closed");
    if (!fetching_->usable() && IsUnavailable(taken.status()) && attempt == 0) continue;
    if (fetching_->usable() && IsNotFound(taken.status())) {
      if (auto seen = Look(*fetching_); seen.ok()) Note(*std::move(seen));
      return NotKept(version);
    }
    return taken.status().WithContext(where_);
  }
}

StatusOr<std::unique_ptr<HeldVersion>> RedisFollower::TakeBy(Connection& connection,
                                                             uint64_t version) {
  ServerState state;
  {
    MutexLock lock(mutex_);
    state = seen_.state;
  }
  if (state.epoch != announcement_.epoch) return NotFound("there is a different publisher now");
  const std::string key = keys_.version(state.epoch, version);
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
Status RedisFollower::FetchValues(Connection& connection, const ServerState& state,
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
      wanted.push_back({keys_.chunk(state.epoch, blob.id, c), blob.chunks[c], out, bytes});
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

void RedisFollower::Wait(uint64_t* seen, Clock::time_point deadline) {
  const auto until = std::min(deadline, Clock::now() + std::chrono::hours(1));
  MutexLock lock(mutex_);
  while (changes_ == *seen && !interrupted_ && changed_.WaitUntil(mutex_, until)) continue;
  *seen = changes_;
}

// Uses a separate connection, because the answer may take long.
StatusOr<Answer> RedisFollower::Ask(Request request, Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(auto connection, Open());
  RAMET_ASSIGN_OR_RETURN(Reply owner, connection->Call({"GET", keys_.lock()}));
  if (owner.nil()) return Unavailable("there is no publisher");
  request.id = NewRequestId();
  request.epoch = announcement_.epoch;
  RAMET_RETURN_IF_ERROR(
      connection->Call({"RPUSH", keys_.requests(), RequestText(request)}).status());
  RAMET_RETURN_IF_ERROR(connection->Call({"PEXPIRE", keys_.requests(), kRequestMillis}).status());
  auto pause = std::chrono::milliseconds(1);
  while (Clock::now() < deadline) {
    RAMET_ASSIGN_OR_RETURN(const Reply reply, connection->Call({"GET", keys_.answer(request.id)}));
    if (!reply.nil()) {
      RAMET_ASSIGN_OR_RETURN(Answer answer, ParseAnswer(reply.view()));
      RAMET_RETURN_IF_ERROR(answer.status);
      return answer;
    }
    RAMET_ASSIGN_OR_RETURN(owner, connection->Call({"GET", keys_.lock()}));
    if (owner.nil()) return Unavailable("the publisher has ended");
    WaitForInterrupt(pause);
    if (interrupted_) return Cancelled("the follower was closed");
    pause = std::min<std::chrono::milliseconds>(pause * 2, kMaxAnswerPause);
  }
  return DeadlineExceeded("the publisher has not answered in time");
}

StatusOr<VersionHashes> RedisFollower::Hashes(uint64_t version, Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(auto connection, Open());
  RAMET_ASSIGN_OR_RETURN(const Reply known,
                         connection->Call({"GET", keys_.hashes(announcement_.epoch, version)}));
  if (!known.nil()) {
    RAMET_ASSIGN_OR_RETURN(const Answer answer, ParseAnswer(known.view()));
    return answer.hashes;
  }
  auto answer = Ask({"", "hashes", version}, deadline);
  if (!answer.ok()) return answer.status().WithContext(where_);
  return answer->hashes;
}

Status RedisFollower::Promote(std::string_view label, uint64_t version) {
  return Ask({"", "promote", version, std::string(label)}, Clock::now() + kAnswerTime)
      .status()
      .WithContext(where_);
}

StatusOr<uint64_t> RedisFollower::Rollback(uint64_t version) {
  auto answer = Ask({"", "rollback", version}, Clock::now() + kAnswerTime);
  if (!answer.ok()) return answer.status().WithContext(where_);
  return answer->version;
}

StatusOr<PublisherStats> RedisFollower::PublisherStatus() {
  auto answer = Ask({"", "status"}, Clock::now() + kAnswerTime);
  if (!answer.ok()) return answer.status().WithContext(where_);
  return PublisherStatsFromText(answer->stats);
}

void RedisFollower::Interrupt() {
  MutexLock lock(mutex_);
  interrupted_ = true;
  stop_.Set();
  changed_.NotifyAll();
}

bool RedisFollower::connected() const {
  MutexLock lock(mutex_);
  return seen_.linked && seen_.alive && seen_.published && seen_.state.epoch == announcement_.epoch;
}

bool RedisFollower::ended() const {
  MutexLock lock(mutex_);
  return seen_.published && seen_.state.epoch != announcement_.epoch;
}

}  // namespace

StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& scheme, const std::string& place,
    FollowerTransport::Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(RedisUrl url, ParseRedisUrl(scheme, place));
  const std::string where = url.ToString();
  auto follower = std::make_unique<RedisFollower>(std::move(url));
  if (const Status status = follower->Start(deadline); !status.ok())
    return status.WithContext(where);
  return std::unique_ptr<FollowerTransport>(std::move(follower));
}

}  // namespace ramet::redis
