#include "ramet/replica/version_updater.h"

#include <atomic>
#include <chrono>

#include "ramet/base/strings.h"
#include "ramet/replica/call_scope.h"
#include "ramet/replica/place_values.h"
#include "ramet/replica/version_limits.h"

namespace ramet {
namespace {

constexpr int kMaxAttempts = 100;
constexpr size_t kMaxFailed = 64;
constexpr auto kVerifyTimeout = std::chrono::seconds(60);

// Returns a number that is unique within the process, so that a session never confuses the values
// of two followers.
uint64_t NextSequence() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

}  // namespace

VersionUpdater::VersionUpdater(std::string text, const FollowerOptions& options,
                               FollowerState& state)
    : text_(std::move(text)),
      options_(options),
      state_(state),
      verifier_(
          [this](const Values& values, const Values& before,
                 const StatusOr<VersionHashes>& hashes) { NoteResult(values, before, hashes); }) {}

Status VersionUpdater::AdoptNewest(bool verify) {
  RAMET_RETURN_IF_ERROR(CallScope::Check(this, text_));
  const CallScope scope(this);
  MutexLock lock(mutex_);
  return AdoptNewestLocked(verify);
}

StatusOr<VersionInfo> VersionUpdater::Update(bool verify) {
  RAMET_RETURN_IF_ERROR(CallScope::Check(this, text_));
  const CallScope scope(this);
  MutexLock lock(mutex_);
  RAMET_RETURN_IF_ERROR(AdoptNewestLocked(verify));
  return state_.current();
}

Status VersionUpdater::AdoptNewestLocked(bool verify) {
  const bool is_pinned = state_.pinned();
  const FollowerState::Source source = state_.source();
  const uint64_t epoch = source->transport->announcement().epoch;
  const VersionId current = state_.current().id;
  Status status;
  for (int attempt = 0; attempt < kMaxAttempts && !is_pinned; ++attempt) {
    const uint64_t newest = source->Newest();
    if (newest == 0 || (newest == current.version && epoch == current.epoch)) {
      status = OkStatus();  // an earlier attempt failed because its publisher went away
      break;
    }
    if (const auto wrong = failed_.find({epoch, newest}); wrong != failed_.end()) {
      return wrong->second;
    }
    status = Adopt(newest, verify || options_.verify == Verify::kBeforeUse);
    if (!IsNotFound(status)) break;
  }
  if (!status.ok() && !IsUnavailable(status) && !IsCancelled(status)) state_.Refuse(status);
  if (status.ok() && verify) return VerifyCurrent();
  return status;
}

Status VersionUpdater::Pin(uint64_t version) {
  RAMET_RETURN_IF_ERROR(CallScope::Check(this, text_));
  const CallScope scope(this);
  MutexLock lock(mutex_);
  const FollowerState::Source source = state_.source();
  const VersionId current = state_.current().id;
  const bool is_current =
      current.version == version && current.epoch == source->transport->announcement().epoch;
  if (!is_current) {
    const Status status = Adopt(version, options_.verify == Verify::kBeforeUse);
    if (IsNotFound(status)) {
      return NotKept(version, source->transport->Versions()).WithContext(text_);
    }
    RAMET_RETURN_IF_ERROR(status);
  }
  state_.SetPinned(version);
  return OkStatus();
}

bool VersionUpdater::SwitchTo(const FollowerState::Source& source) {
  MutexLock lock(mutex_);
  if (!state_.SetSource(source)) return false;
  Retake();
  return true;
}

// The publisher is the same but the connection is new: takes the current version again through the
// new connection. If the version is not kept, it may be overwritten, so the newest one replaces it.
void VersionUpdater::Retake() {
  const FollowerState::Source source = state_.source();
  const Values values = state_.values();
  const VersionId id = state_.current().id;
  const bool is_held = !values || values->transport == source->transport;
  if (is_held || id.epoch != source->transport->announcement().epoch) return;
  const bool verify = options_.verify == Verify::kBeforeUse;
  const Status taken = Adopt(id.version, verify);
  if (taken.ok() || IsUnavailable(taken) || source->Newest() == 0) return;
  state_.Refuse(taken);
  state_.SetPinned(std::nullopt);
  (void)Adopt(source->Newest(), verify);
}

Status VersionUpdater::Adopt(uint64_t version, bool verify) {
  const FollowerState::Source source = state_.source();
  RAMET_ASSIGN_OR_RETURN(Values values, Take(*source, version, verify));
  values->sequence = NextSequence();
  const Values before = state_.values();
  state_.Use(source, values, values->held->info);
  if (values->proof == VersionProof::kPending) verifier_.Offer(values, before);
  return OkStatus();
}

StatusOr<VersionUpdater::Values> VersionUpdater::Take(const FollowerSource& source,
                                                      uint64_t version, bool verify) {
  auto values = std::make_shared<HeldValues>();
  values->transport = source.transport;
  RAMET_ASSIGN_OR_RETURN(values->held, source.transport->Take(version));
  values->id = values->held->info.id;
  if (verify) {
    const auto hashes = VerifyValues(*values, Clock::now() + kVerifyTimeout);
    if (IsDataLoss(hashes.status())) NoteFailed(values->id, hashes.status());
    if (!hashes.ok()) return hashes.status();
    state_.NoteVerified(*values, *hashes);
  } else if (options_.verify == Verify::kAsync) {
    values->proof = VersionProof::kPending;
  }
  RAMET_ASSIGN_OR_RETURN(values->values,
                         DecodeValues(source.binding, source.transport->announcement().signature,
                                      values->held->values));
  RAMET_RETURN_IF_ERROR(PlaceValues(source, values.get()).WithContext(text_));
  return values;
}

Status VersionUpdater::VerifyCurrent() {
  const Values values = state_.values();
  if (!values || values->proof == VersionProof::kProven) return OkStatus();
  const auto hashes = VerifyValues(*values, Clock::now() + kVerifyTimeout);
  if (hashes.ok()) {
    state_.NoteVerified(*values, *hashes);
  } else if (IsDataLoss(hashes.status())) {
    GoBackFrom(values, nullptr, hashes.status());
  }
  return hashes.status();
}

void VersionUpdater::NoteResult(const Values& values, const Values& before,
                                const StatusOr<VersionHashes>& hashes) {
  MutexLock lock(mutex_);
  if (hashes.ok()) {
    state_.NoteVerified(*values, *hashes);
  } else if (IsDataLoss(hashes.status())) {
    GoBackFrom(values, before, hashes.status());
  } else {
    values->proof = VersionProof::kNotAsked;
  }
}

// Returns to `before` or, if that is not possible, to the newest kept version other than `values`.
void VersionUpdater::GoBackFrom(const Values& values, const Values& before, const Status& why) {
  NoteFailed(values->id, why);
  values->proof = VersionProof::kNotAsked;
  state_.Refuse(why);
  if (state_.values() != values) return;
  const FollowerState::Source source = state_.source();
  if (before && before->transport == source->transport) {
    return state_.Use(source, before, before->held->info);
  }
  std::vector<uint64_t> versions = source->transport->Versions();
  while (!versions.empty()) {
    const uint64_t version = versions.back();
    versions.pop_back();
    if (version != values->id.version && Adopt(version, true).ok()) return;
  }
}

void VersionUpdater::NoteFailed(const VersionId& id, const Status& why) {
  if (failed_.size() == kMaxFailed) failed_.erase(failed_.begin());
  failed_[{id.epoch, id.version}] = why;
}

}  // namespace ramet
