#include <atomic>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/follower_impl.h"

namespace ramet {
namespace {

constexpr int kMostAttempts = 100;
constexpr size_t kMostDisproved = 64;
constexpr auto kProofTimeout = std::chrono::seconds(60);

// Sessions tell values that were followed apart by it, also of one follower after another.
uint64_t NextSequence() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

double SecondsSince(int64_t time_nanos) {
  return std::max(0.0, static_cast<double>(WallClockNanos() - time_nanos) / 1e9);
}

}  // namespace

Status Follower::Impl::AdoptNewest(bool prove) {
  std::lock_guard update_lock(update_mutex_);
  return AdoptNewestLocked(prove);
}

// update_mutex_ is held.
Status Follower::Impl::AdoptNewestLocked(bool prove) {
  bool is_pinned;
  {
    std::lock_guard lock(mutex_);
    is_pinned = pinned_.has_value();
  }
  Status status;
  for (int attempt = 0; attempt < kMostAttempts && !is_pinned; ++attempt) {
    const uint64_t newest = source_->Newest();
    const uint64_t epoch = source_->transport->announcement().epoch;
    if (newest == 0 || (newest == current_.id.version && epoch == current_.id.epoch)) {
      status = OkStatus();  // what was asked for in vain went away with its publisher
      break;
    }
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

StatusOr<Follower::Impl::Values> Follower::Impl::Take(uint64_t version, bool prove) {
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
  values->sequence = NextSequence();
  const Values before = values_;
  const VersionInfo info = values->held->info;
  Use(source_, values, info);
  if (values->proof == VersionProof::kPending) prover_->Offer(values, before);
  return OkStatus();
}

// The publisher has gone on, but the connection is another one: what is current is held by it from
// now on. A version that is not kept any more may be written over: the newest one takes its place.
// update_mutex_ is held.
void Follower::Impl::Retake() {
  const VersionId& id = current_.id;
  const bool is_held = !values_ || values_->transport == source_->transport;
  if (is_held || id.epoch != source_->transport->announcement().epoch) return;
  const bool prove = options_.verify == Verify::kBeforeUse;
  const Status taken = Adopt(id.version, prove);
  if (taken.ok() || IsUnavailable(taken) || source_->Newest() == 0) return;
  Refuse(taken);
  {
    std::lock_guard lock(mutex_);
    pinned_.reset();
  }
  (void)Adopt(source_->Newest(), prove);
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

}  // namespace ramet
