#include "ramet/replica/files/folder_scanner.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "ramet/base/wall_clock.h"
#include "ramet/replica/files/epochs.h"

namespace ramet::files {
namespace {

constexpr int kMinSettleScans = 20;  // in case this process was stopped in between
// Files written within this time may be overwritten without a change in the time of modification.
constexpr int64_t kRecentNanos = 2'000'000'000;

bool IsUnchanged(const FolderState::Newest& newest, const std::string& path) {
  if (path != newest.found.path || !newest.damage.ok()) return false;
  const FileIdentity& known = newest.found.index.identity;
  const auto identity = GetFileIdentity(path + ".index");
  return identity.ok() && *identity == known && WallClockNanos() - known.mtime_ns > kRecentNanos;
}

}  // namespace

FolderIdentity IdentityOf(const std::string& dir) {
  struct stat s;
  if (::stat(dir.c_str(), &s) != 0 || !S_ISDIR(s.st_mode)) return {};
  return {s.st_dev, s.st_ino};
}

FolderScanner::Result FolderScanner::Scan() {
  MutexLock lock(mutex_);
  if (state_.superseded()) return Result::kSettled;
  if (!(IdentityOf(folder_.dir) == wanted_.folder)) {
    state_.Supersede();
    return Result::kSettled;
  }
  ScanLabelsLocked();
  return ScanNewest();
}

void FolderScanner::ScanLabels() {
  MutexLock lock(mutex_);
  ScanLabelsLocked();
}

void FolderScanner::ScanLabelsLocked() {
  std::map<std::string, FileIdentity> label_files = LabelFiles(folder_);
  if (label_files == label_files_) return;
  label_files_ = std::move(label_files);
  FolderState::Labels labels = ReadLabels(folder_);
  const auto before = state_.labels();
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.version == b.second.version &&
           a.second.path == b.second.path;
  };
  if (std::equal(labels.begin(), labels.end(), before->begin(), before->end(), same)) return;
  state_.SetLabels(std::move(labels));
}

FolderScanner::Result FolderScanner::ScanNewest() {
  const auto newest = state_.newest();
  const auto path = NewestPath(folder_);
  if (!path.ok()) state_.Supersede();
  if (!path.ok() || IsUnchanged(*newest, *path)) {
    unreadable_.clear();
    return Result::kSettled;
  }
  auto found = FindVersionAt(*path);
  if (!found.ok()) return NoteUnreadable(*path, found.status(), *newest);
  const bool same_place = found->path == newest->found.path;
  if (same_place && found->index.SameBytes(newest->found.index) && newest->damage.ok()) {
    unreadable_.clear();
    state_.SetIndex(found->index);
    return Result::kSettled;
  }
  const auto variables = VariablesOf(*found, wanted_.parts);
  const auto after = FingerprintOf(*path);
  if (!after.ok() || !(*after == found->index)) return Result::kUnsettled;
  if (IsDataLoss(variables.status()) || IsNotFound(variables.status())) {
    return NoteUnreadable(*path, variables.status(), *newest);
  }
  unreadable_.clear();
  if (!variables.ok() || !(variables->signature == wanted_.signature)) {
    state_.Supersede();
    return Result::kSettled;
  }
  return Adopt(*std::move(found), *newest);
}

// Makes `found`, which has a complete new index, the newest version.
FolderScanner::Result FolderScanner::Adopt(FoundVersion found, const FolderState::Newest& newest) {
  const uint64_t last = newest.found.version;
  const bool is_numbered = found.own || NumberOf(found.path);
  if (!is_numbered) found.version = std::max(found.version, last + 1);
  const uint64_t epoch = found.own ? found.own->info.id.epoch : 0;
  const bool is_mended = !newest.damage.ok() && found.version == last;
  if (epoch != 0 && epoch != wanted_.epoch) {
    state_.Supersede();
  } else if (found.version <= last && !is_mended) {
    BeginEpoch(folder_.dir);
    state_.Supersede();
  } else {
    state_.SetNewest({std::move(found), OkStatus()});
  }
  return Result::kSettled;
}

// Records that the checkpoint cannot be read. It may be half-written; if it stays unreadable, it
// counts as damaged.
FolderScanner::Result FolderScanner::NoteUnreadable(const std::string& path, const Status& why,
                                                    const FolderState::Newest& newest) {
  const auto now = FolderState::Clock::now();
  if (unreadable_ != path) {
    unreadable_ = path;
    unreadable_since_ = now;
    unreadable_scans_ = 0;
  }
  ++unreadable_scans_;
  if (now - unreadable_since_ < kSettleTime || unreadable_scans_ < kMinSettleScans) {
    return Result::kUnsettled;
  }
  const uint64_t version = NumberOf(path).value_or(newest.found.version + 1);
  if (newest.damage.ok() && version > newest.found.version) {
    Status damage = IsFailedPrecondition(why)
                        ? why
                        : DataLoss("version ", version, " is damaged: ", why.message());
    state_.SetNewest({FoundVersion{version, path, {}, std::nullopt}, std::move(damage)});
  }
  return Result::kSettled;
}

}  // namespace ramet::files
