#include "ramet/replica/follower.h"

#include <algorithm>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/replica/follower_state.h"
#include "ramet/replica/source_watcher.h"
#include "ramet/replica/version_updater.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kMaxSourceWait{500};
constexpr Millis kMaxVersionWait{100};

Clock::time_point DeadlineOf(Millis wait) {
  return wait.count() < 0 ? Clock::time_point::max() : Clock::now() + wait;
}

Status CheckOptions(const FollowerOptions& options) {
  if (options.session == nullptr) return OkStatus();
  if (options.strip_training || !options.outputs.empty() || !options.device.empty() ||
      !options.scope.empty() || !options.clear_devices || options.host != nullptr ||
      options.on_change == OnChange::kReload) {
    return InvalidArgument(
        "device, scope, clear_devices=false, strip_training, outputs, host and OnChange::kReload "
        "are for a follower's own session; remove them, or remove FollowerOptions::session");
  }
  return OkStatus();
}

}  // namespace

// The implementation of Follower: options, setup, and waiting for versions.
class Follower::Impl {
 public:
  Impl(std::string text, ReplicaAddress address, const FollowerOptions& options)
      : text_(std::move(text)),
        address_(std::move(address)),
        options_(options),
        state_(text_),
        updater_(text_, options_, state_),
        watcher_(address_, options_, state_, updater_) {}
  ~Impl() { state_.Stop(); }

  Status Start();
  StatusOr<VersionInfo> Wait(uint64_t version, Millis timeout);
  // Returns the reason why no version is available.
  std::string NoVersion() const;
  // Returns the error of a Wait for `version` that ends while `current` is current.
  Status Late(uint64_t version, uint64_t current) const;
  void Unpin();
  std::shared_ptr<FollowerTransport> transport() const { return state_.source()->transport; }
  const FollowerState& state() const { return state_; }
  VersionUpdater& updater() { return updater_; }

 private:
  StatusOr<FollowerState::Source> FirstSource(bool* on_fallback);

  const std::string text_;
  const ReplicaAddress address_;
  const FollowerOptions options_;
  FollowerState state_;
  VersionUpdater updater_;
  SourceWatcher watcher_;
};

StatusOr<FollowerState::Source> Follower::Impl::FirstSource(bool* on_fallback) {
  auto transport = ConnectWithin(text_, address_, DeadlineOf(options_.wait));
  std::string label = address_.label;
  if (IsDeadlineExceeded(transport.status()) && !options_.fallback.empty()) {
    RAMET_ASSIGN_OR_RETURN(const ReplicaAddress fallback, ParseReplicaAddress(options_.fallback));
    const std::string no_publisher = transport.status().message();
    transport = ConnectWithin(options_.fallback, fallback, Clock::now());
    if (!transport.ok()) {
      return Status(transport.status().code(),
                    StrCat(no_publisher, "; ", transport.status().message()));
    }
    label = fallback.label;
    *on_fallback = true;
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
  bool on_fallback = false;
  RAMET_ASSIGN_OR_RETURN(FollowerState::Source source, FirstSource(&on_fallback));
  state_.Begin(std::move(source), on_fallback);
  RAMET_RETURN_IF_ERROR(updater_.AdoptNewest(false));
  return watcher_.Start();
}

std::string Follower::Impl::NoVersion() const {
  const std::string label = state_.source()->label;
  if (label.empty()) return "nothing is published there yet";
  return StrCat("no version has the label '", label,
                "' yet; give it to one with Promote or 'ramet sync promote'");
}

Status Follower::Impl::Late(uint64_t version, uint64_t current) const {
  const std::string late = StrCat(text_, ": version ", version, " did not arrive in time; ");
  if (current == 0) return DeadlineExceeded(late, NoVersion());
  return DeadlineExceeded(late, "the current version is ", current);
}

StatusOr<VersionInfo> Follower::Impl::Wait(uint64_t version, Millis timeout) {
  const auto deadline = DeadlineOf(timeout);
  const uint64_t epoch = state_.current().id.epoch;
  uint64_t seen = 0;
  while (true) {
    if (!options_.automatic) RAMET_RETURN_IF_ERROR(updater_.AdoptNewest(false));
    const VersionInfo info = state_.current();
    if (info.id.version != 0 &&
        (info.id.version >= version || (epoch != 0 && info.id.epoch != epoch))) {
      return info;
    }
    if (state_.stopping()) return Unavailable(text_, ": the follower was closed");
    const auto now = Clock::now();
    if (now >= deadline) return Late(version, info.id.version);
    if (info.id.version == 0) {
      LogOnce(LogLevel::kInfo, StrCat("first of ", text_), text_,
              ": waiting for the first version: ", NoVersion());
    }
    const auto until = std::min(deadline, now + kMaxSourceWait);
    if (options_.automatic) {
      state_.WaitForVersion(info.id, until);
    } else if (const auto source = transport(); source->connected()) {
      source->Wait(&seen, until);
    } else {
      state_.WaitForVersion(info.id, std::min(until, now + kMaxVersionWait));
    }
  }
}

void Follower::Impl::Unpin() {
  state_.SetPinned(std::nullopt);
  if (options_.automatic) (void)updater_.AdoptNewest(false);
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

Graph& Follower::graph() const { return impl_->state().session().graph(); }
Session& Follower::session() const { return impl_->state().session(); }
StatusOr<VersionInfo> Follower::Update(const UpdateOptions& options) {
  return Guarded([&] { return impl_->updater().Update(options.verify); });
}
StatusOr<VersionInfo> Follower::Wait(uint64_t version, std::chrono::milliseconds timeout) {
  return impl_->Wait(version, timeout);
}
Status Follower::Pin(uint64_t version) { return impl_->updater().Pin(version); }
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
std::map<std::string, std::string> Follower::signature_defs() const {
  return impl_->state().source()->model->signature_defs();
}
ReplicaSignature Follower::signature() const {
  return impl_->transport()->announcement().signature;
}
VersionInfo Follower::current() const { return impl_->state().current(); }
FollowerStats Follower::stats() const { return impl_->state().stats(); }

}  // namespace ramet
