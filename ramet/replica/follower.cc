#include "ramet/replica/follower.h"

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/replica/follower_impl.h"
#include "ramet/replica/start_thread.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;
using Millis = std::chrono::milliseconds;

Clock::time_point DeadlineOf(Millis wait) {
  return wait.count() < 0 ? Clock::time_point::max() : Clock::now() + wait;
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

StatusOr<Follower::Impl::Source> Follower::Impl::FirstSource() {
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
  return StartThread(&watcher_, [this] { Watch(); });
}

Follower::Impl::Source Follower::Impl::source() const {
  std::lock_guard lock(mutex_);
  return source_;
}

std::shared_ptr<FollowerTransport> Follower::Impl::transport() const { return source()->transport; }

Session& Follower::Impl::session() const {
  std::lock_guard lock(mutex_);
  return model_->session();
}

StatusOr<VersionInfo> Follower::Impl::Update(const UpdateOptions& options) {
  std::lock_guard update_lock(update_mutex_);
  RAMET_RETURN_IF_ERROR(AdoptNewestLocked(options.verify));
  return current();
}

void Follower::Impl::Refuse(const Status& why) {
  std::lock_guard lock(mutex_);
  if (last_refusal_ == why.message()) return;
  ++refusals_;
  LogWarning(text_, ": not followed: ", why.message());
  last_refusal_ = why.message();
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
    if (!transport->connected()) {
      changed_.wait_until(lock, std::min(until, Clock::now() + kLongestPause));
      continue;
    }
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
  RAMET_RETURN_IF_ERROR(Guarded([&] { return impl->Start(); }));
  return Follower(std::move(impl));
}

Graph& Follower::graph() const { return impl_->session().graph(); }
Session& Follower::session() const { return impl_->session(); }
StatusOr<VersionInfo> Follower::Update(const UpdateOptions& options) {
  return Guarded([&] { return impl_->Update(options); });
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
