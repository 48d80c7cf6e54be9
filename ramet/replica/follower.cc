#include "ramet/replica/follower.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/follower_source.h"
#include "ramet/replica/prover.h"
#include "ramet/replica/transports.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;
using Millis = std::chrono::milliseconds;
using Source = std::shared_ptr<const FollowerSource>;
using Values = std::shared_ptr<HeldValues>;

constexpr int kMostAttempts = 100;
constexpr size_t kMostDisproved = 64;
constexpr auto kHandshake = std::chrono::seconds(10);
constexpr auto kProofTimeout = std::chrono::seconds(60);
constexpr Millis kLongestWait{500};
constexpr Millis kFirstPause{10};
constexpr Millis kLongestPause{100};

Clock::time_point DeadlineOf(Millis wait) {
  return wait.count() < 0 ? Clock::time_point::max() : Clock::now() + wait;
}

double SecondsSince(int64_t time_nanos) {
  return std::max(0.0, static_cast<double>(WallClockNanos() - time_nanos) / 1e9);
}

Status CheckOptions(const FollowerOptions& options) {
  if (options.session == nullptr) return OkStatus();
  if (options.strip_training || !options.outputs.empty() || !options.device.empty() ||
      !options.scope.empty() || options.on_change == OnChange::kReload) {
    return InvalidArgument(
        "device, scope, strip_training and OnChange::kReload are for a session of "
        "the follower's own; another one was given");
  }
  return OkStatus();
}

}  // namespace

class Follower::Impl {
 public:
  Impl(std::string text, ReplicaAddress address, const FollowerOptions& options)
      : text_(std::move(text)), address_(std::move(address)), options_(options) {}
  ~Impl();

  Status Start();
  Session& session() const;
  StatusOr<VersionInfo> Update(const UpdateOptions& options);
  StatusOr<VersionInfo> Wait(uint64_t version, Millis timeout);
  Status Pin(uint64_t version);
  void Unpin();
  VersionInfo current() const;
  FollowerStats stats() const;
  std::shared_ptr<FollowerTransport> transport() const;

 private:
  StatusOr<Source> FirstSource();
  Source source() const;
  Status AdoptNewest(bool prove);
  Status Adopt(uint64_t version, bool prove);
  StatusOr<Values> Take(uint64_t version, bool prove);
  void Use(const Source& source, Values values, const VersionInfo& info);
  Status ProveCurrent();
  void NoteProven(HeldValues& values, const VersionHashes& hashes);
  void Judge(const Values& values, const Values& before, const StatusOr<VersionHashes>& hashes);
  void GoBackFrom(const Values& values, const Values& before, const Status& why);
  void Disprove(const HeldValues& values, const Status& why);
  void Refuse(const Status& why);
  void Watch();
  bool TryAddress();
  void Pause(const std::shared_ptr<FollowerTransport>& refused);

  const std::string text_;
  const ReplicaAddress address_;
  const FollowerOptions options_;

  std::mutex update_mutex_;  // of those who change what is current
  // What proofs have found to be wrong, by epoch and version.
  std::map<std::pair<uint64_t, uint64_t>, Status> disproved_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Source source_;
  std::shared_ptr<FollowedModel> model_;  // which has the current version
  std::vector<std::shared_ptr<FollowedModel>> former_;
  std::shared_ptr<FollowerTransport>
      refused_;  // of a publisher that does not fit, while it is there
  Values values_;
  VersionInfo current_;
  Clock::time_point used_since_;
  double age_then_ = 0;  // in seconds
  std::optional<uint64_t> pinned_;
  bool on_fallback_ = false;
  uint64_t sequence_ = 0;
  uint64_t swaps_ = 0, reloads_ = 0, proven_ = 0, refusals_ = 0;
  std::string last_refusal_;
  bool stopping_ = false;
  Millis pause_ = kFirstPause;  // of the watcher
  std::thread watcher_;
  std::unique_ptr<Prover> prover_;
};

Follower::Impl::~Impl() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    if (source_) source_->transport->Interrupt();
    if (refused_) refused_->Interrupt();
    if (values_) values_->transport->Interrupt();
    changed_.notify_all();
  }
  if (watcher_.joinable()) watcher_.join();
  prover_.reset();
}

StatusOr<Source> Follower::Impl::FirstSource() {
  auto transport = ConnectWithin(text_, address_, DeadlineOf(options_.wait));
  std::string label = address_.label;
  if (IsDeadlineExceeded(transport.status()) && !options_.fallback.empty()) {
    RAMET_ASSIGN_OR_RETURN(const ReplicaAddress fallback, ParseReplicaAddress(options_.fallback));
    const std::string nobody = transport.status().message();
    transport = ConnectWithin(options_.fallback, fallback, Clock::now());
    if (!transport.ok()) {
      return Status(transport.status().code(), StrCat(nobody, "; ", transport.status().message()));
    }
    label = fallback.label;
    on_fallback_ = true;
  }
  if (!transport.ok()) return transport.status();
  auto source = MakeSource(*std::move(transport), nullptr, label, options_);
  if (source.ok()) return source;
  return Status(source.status().code(), StrCat(text_, ": ", source.status().message()));
}

Status Follower::Impl::Start() {
  RAMET_RETURN_IF_ERROR(CheckOptions(options_));
  if (!options_.fallback.empty()) {
    RAMET_RETURN_IF_ERROR(ParseReplicaAddress(options_.fallback).status());
  }
  RAMET_ASSIGN_OR_RETURN(source_, FirstSource());
  model_ = source_->model;
  model_->Attach();
  prover_ = std::make_unique<Prover>(
      [this](const Values& values, const Values& before, const StatusOr<VersionHashes>& hashes) {
        Judge(values, before, hashes);
      });
  RAMET_RETURN_IF_ERROR(AdoptNewest(false));
  watcher_ = std::thread([this] { Watch(); });
  return OkStatus();
}

Source Follower::Impl::source() const {
  std::lock_guard lock(mutex_);
  return source_;
}

std::shared_ptr<FollowerTransport> Follower::Impl::transport() const { return source()->transport; }

Session& Follower::Impl::session() const {
  std::lock_guard lock(mutex_);
  return model_->session();
}

StatusOr<VersionInfo> Follower::Impl::Update(const UpdateOptions& options) {
  RAMET_RETURN_IF_ERROR(AdoptNewest(options.verify));
  return current();
}

Status Follower::Impl::AdoptNewest(bool prove) {
  std::lock_guard update_lock(update_mutex_);
  bool is_pinned;
  {
    std::lock_guard lock(mutex_);
    is_pinned = pinned_.has_value();
  }
  Status status;
  for (int attempt = 0; attempt < kMostAttempts && !is_pinned; ++attempt) {
    const uint64_t newest = source_->Newest();
    const uint64_t epoch = source_->transport->announcement().epoch;
    if (newest == 0 || (newest == current_.id.version && epoch == current_.id.epoch)) break;
    if (const auto wrong = disproved_.find({epoch, newest}); wrong != disproved_.end()) {
      return wrong->second;
    }
    status = Adopt(newest, prove || options_.verify == Verify::kBeforeUse);
    if (!IsNotFound(status)) break;
  }
  if (!status.ok() && !IsUnavailable(status)) Refuse(status);
  if (status.ok() && prove) return ProveCurrent();
  return status;
}

void Follower::Impl::Disprove(const HeldValues& values, const Status& why) {
  if (disproved_.size() == kMostDisproved) disproved_.erase(disproved_.begin());
  disproved_[{values.id.epoch, values.id.version}] = why;
}

StatusOr<Values> Follower::Impl::Take(uint64_t version, bool prove) {
  auto values = std::make_shared<HeldValues>();
  values->transport = source_->transport;
  RAMET_ASSIGN_OR_RETURN(values->held, source_->transport->Take(version));
  values->id = values->held->info.id;
  if (prove) {
    const auto hashes = Prove(*values, Clock::now() + kProofTimeout);
    if (IsDataLoss(hashes.status())) Disprove(*values, hashes.status());
    if (!hashes.ok()) return hashes.status();
    NoteProven(*values, *hashes);
  } else if (options_.verify == Verify::kAsync) {
    values->proof = VersionProof::kPending;
  }
  RAMET_ASSIGN_OR_RETURN(
      values->values, DecodeValues(source_->binding, source_->transport->announcement().signature,
                                   values->held->values));
  return values;
}

// update_mutex_ is held.
Status Follower::Impl::Adopt(uint64_t version, bool prove) {
  RAMET_ASSIGN_OR_RETURN(Values values, Take(version, prove));
  values->sequence = ++sequence_;
  const Values before = values_;
  const VersionInfo info = values->held->info;
  Use(source_, values, info);
  if (values->proof == VersionProof::kPending) prover_->Offer(values, before);
  return OkStatus();
}

void Follower::Impl::Use(const Source& source, Values values, const VersionInfo& info) {
  const bool is_new = source->model != model_;
  if (is_new) source->model->Attach();
  source->model->impl().Follow(values);
  std::lock_guard lock(mutex_);
  if (is_new) {
    if (!former_.empty()) former_.back()->Detach();
    former_.push_back(std::exchange(model_, source->model));
    ++reloads_;
  }
  values_ = std::move(values);
  current_ = info;
  used_since_ = Clock::now();
  age_then_ = SecondsSince(info.time_nanos);
  ++swaps_;
  changed_.notify_all();
}

void Follower::Impl::NoteProven(HeldValues& values, const VersionHashes& hashes) {
  std::lock_guard lock(mutex_);
  values.held->info.hashes = hashes;
  values.proof = VersionProof::kProven;
  ++proven_;
}

// update_mutex_ is held.
Status Follower::Impl::ProveCurrent() {
  const Values values = values_;
  if (!values || values->proof == VersionProof::kProven) return OkStatus();
  const auto hashes = Prove(*values, Clock::now() + kProofTimeout);
  if (hashes.ok()) {
    NoteProven(*values, *hashes);
  } else if (IsDataLoss(hashes.status())) {
    GoBackFrom(values, nullptr, hashes.status());
  }
  return hashes.status();
}

void Follower::Impl::Judge(const Values& values, const Values& before,
                           const StatusOr<VersionHashes>& hashes) {
  std::lock_guard update_lock(update_mutex_);
  if (hashes.ok()) {
    NoteProven(*values, *hashes);
  } else if (IsDataLoss(hashes.status())) {
    GoBackFrom(values, before, hashes.status());
  } else {
    values->proof = VersionProof::kNotAsked;
  }
}

// Uses what was used before, or else the newest other version that is kept. update_mutex_ is held.
void Follower::Impl::GoBackFrom(const Values& values, const Values& before, const Status& why) {
  Disprove(*values, why);
  values->proof = VersionProof::kNotAsked;
  Refuse(why);
  if (values_ != values) return;
  if (before && before->transport == source_->transport) {
    return Use(source_, before, before->held->info);
  }
  std::vector<uint64_t> versions = source_->transport->Versions();
  while (!versions.empty()) {
    const uint64_t version = versions.back();
    versions.pop_back();
    if (version != values->id.version && Adopt(version, true).ok()) return;
  }
}

void Follower::Impl::Refuse(const Status& why) {
  std::lock_guard lock(mutex_);
  if (last_refusal_ == why.message()) return;
  ++refusals_;
  LogWarning(text_, ": not followed: ", why.message());
  last_refusal_ = why.message();
}

void Follower::Impl::Watch() {
  uint64_t seen = 0;
  while (true) {
    Source source;
    std::shared_ptr<FollowerTransport> refused;
    bool on_fallback;
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
      if (refused_ && refused_->ended()) refused_.reset();
      source = source_;
      refused = refused_;
      on_fallback = on_fallback_;
    }
    const bool is_there = !source->transport->ended();
    // What came last may have come together with the publisher's end.
    if (!is_there && options_.automatic) (void)AdoptNewest(false);
    if ((!is_there || on_fallback) && !refused && TryAddress()) {
      seen = 0;
      continue;
    }
    if (!is_there) {
      Pause(refused);
      continue;
    }
    source->transport->Wait(&seen, Clock::now() + (on_fallback ? kLongestPause : kLongestWait));
    if (options_.automatic) (void)AdoptNewest(false);
  }
}

// Until it is worth while to try again.
void Follower::Impl::Pause(const std::shared_ptr<FollowerTransport>& refused) {
  if (refused) {
    uint64_t seen = 0;
    refused->Wait(&seen, Clock::now());
    return refused->Wait(&seen, Clock::now() + kLongestWait);
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, pause_, [this] { return stopping_; });
  pause_ = std::min(pause_ * 2, kLongestPause);
}

// Tries once to find a publisher at the address. Whether it is followed now.
bool Follower::Impl::TryAddress() {
  auto connected = ConnectFollowerTransport(address_, Clock::now() + kHandshake);
  if (!connected.ok()) {
    const Status& why = connected.status();
    if (!IsNotFound(why) && !IsUnavailable(why)) Refuse(why);
    return false;
  }
  const std::shared_ptr<FollowerTransport> transport = *std::move(connected);
  const auto source = MakeSource(transport, this->source()->model, address_.label, options_);
  {
    std::lock_guard update_lock(update_mutex_);
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    if (source.ok()) {
      source_ = *source;
      on_fallback_ = false;
      pause_ = kFirstPause;
    } else {
      refused_ = transport;
    }
  }
  if (!source.ok()) {
    Refuse(source.status());
  } else if (options_.automatic) {
    (void)AdoptNewest(false);
  }
  return source.ok();
}

StatusOr<VersionInfo> Follower::Impl::Wait(uint64_t version, Millis timeout) {
  const auto deadline = DeadlineOf(timeout);
  const uint64_t epoch = current().id.epoch;
  uint64_t seen = 0;
  while (true) {
    if (!options_.automatic) RAMET_RETURN_IF_ERROR(AdoptNewest(false));
    const VersionInfo info = current();
    if (info.id.version != 0 &&
        (info.id.version >= version || (epoch != 0 && info.id.epoch != epoch))) {
      return info;
    }
    std::unique_lock lock(mutex_);
    if (stopping_) return Unavailable(text_, ": the follower was closed");
    if (Clock::now() >= deadline) {
      return DeadlineExceeded(text_, ": version ", version, " did not come; the newest is ",
                              current_.id.version);
    }
    const auto until = std::min(deadline, Clock::now() + kLongestWait);
    if (options_.automatic) {
      if (current_.id == info.id) changed_.wait_until(lock, until);
      continue;
    }
    const auto transport = source_->transport;
    lock.unlock();
    transport->Wait(&seen, until);
  }
}

Status Follower::Impl::Pin(uint64_t version) {
  std::lock_guard update_lock(update_mutex_);
  const bool is_current = current_.id.version == version &&
                          current_.id.epoch == source_->transport->announcement().epoch;
  if (!is_current) {
    const Status status = Adopt(version, options_.verify == Verify::kBeforeUse);
    if (IsNotFound(status)) {
      return NotFound(text_, ": version ", version, " is not kept (any more); there are ",
                      StrJoin(source_->transport->Versions(), ", "));
    }
    RAMET_RETURN_IF_ERROR(status);
  }
  std::lock_guard lock(mutex_);
  pinned_ = version;
  return OkStatus();
}

void Follower::Impl::Unpin() {
  {
    std::lock_guard lock(mutex_);
    pinned_.reset();
  }
  if (options_.automatic) (void)AdoptNewest(false);
}

VersionInfo Follower::Impl::current() const {
  std::lock_guard lock(mutex_);
  VersionInfo info = current_;
  if (!values_) return info;
  info.proof = values_->proof;
  info.hashes = values_->held->info.hashes;
  return info;
}

FollowerStats Follower::Impl::stats() const {
  FollowerStats stats;
  stats.current = current();
  std::lock_guard lock(mutex_);
  stats.newest = source_->Newest();
  const bool same_epoch = current_.id.epoch == source_->transport->announcement().epoch;
  const uint64_t from = same_epoch ? current_.id.version : 0;
  stats.lag = stats.newest > from ? stats.newest - from : 0;
  if (current_.id.version != 0) {
    const std::chrono::duration<double> used = Clock::now() - used_since_;
    stats.age_seconds = age_then_ + used.count();
  }
  if (stats.lag > 0) stats.lag_seconds = stats.age_seconds;
  stats.swaps = swaps_;
  stats.reloads = reloads_;
  stats.proven = proven_;
  stats.refused = refusals_;
  stats.last_refusal = last_refusal_;
  stats.bytes = source_->binding.bytes;
  stats.connected = source_->transport->connected();
  stats.on_fallback = on_fallback_;
  stats.missing = source_->binding.missing;
  stats.extra = source_->binding.extra;
  return stats;
}

Follower::Follower(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Follower::Follower(Follower&&) noexcept = default;
Follower& Follower::operator=(Follower&&) noexcept = default;
Follower::~Follower() = default;

StatusOr<Follower> Follower::Open(std::string_view address, const FollowerOptions& options) {
  RAMET_ASSIGN_OR_RETURN(ReplicaAddress parsed, ParseReplicaAddress(address));
  auto impl = std::make_unique<Impl>(PrintableAddress(address), std::move(parsed), options);
  RAMET_RETURN_IF_ERROR(impl->Start());
  return Follower(std::move(impl));
}

Graph& Follower::graph() const { return impl_->session().graph(); }
Session& Follower::session() const { return impl_->session(); }
StatusOr<VersionInfo> Follower::Update(const UpdateOptions& options) {
  return impl_->Update(options);
}
StatusOr<VersionInfo> Follower::Wait(uint64_t version, std::chrono::milliseconds timeout) {
  return impl_->Wait(version, timeout);
}
Status Follower::Pin(uint64_t version) { return impl_->Pin(version); }
void Follower::Unpin() { impl_->Unpin(); }
std::vector<uint64_t> Follower::Versions() const { return impl_->transport()->Versions(); }
Status Follower::Promote(std::string_view label, uint64_t version) {
  return impl_->transport()->Promote(label, version);
}
StatusOr<uint64_t> Follower::Rollback(uint64_t version) {
  return impl_->transport()->Rollback(version);
}
StatusOr<PublisherStats> Follower::PublisherStatus() {
  return impl_->transport()->PublisherStatus();
}
StatusOr<VersionHashes> Follower::Hashes(uint64_t version, std::chrono::milliseconds timeout) {
  return impl_->transport()->Hashes(version, DeadlineOf(timeout));
}
ReplicaSignature Follower::signature() const {
  return impl_->transport()->announcement().signature;
}
VersionInfo Follower::current() const { return impl_->current(); }
FollowerStats Follower::stats() const { return impl_->stats(); }

}  // namespace ramet
