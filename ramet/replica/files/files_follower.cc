#include "ramet/replica/files/files_follower.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/files/epochs.h"
#include "ramet/replica/files/folder_scanner.h"
#include "ramet/replica/files/folder_state.h"
#include "ramet/replica/files/folder_watch.h"
#include "ramet/replica/files/version_reader.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_hash.h"

namespace ramet::files {
namespace {

using Clock = FollowerTransport::Clock;
using std::chrono::milliseconds;

// How often the follower looks without a notification, and while a checkpoint is being written.
constexpr milliseconds kLookInterval(200);
constexpr milliseconds kUnsettledInterval(5);
constexpr size_t kMaxHashes = 64;

// Returns the hashes of a version. The source hash covers the tensors of the checkpoint, where a
// partitioned variable is a single tensor.
VersionHashes HashesOf(const StoredVariables& variables, std::span<const Tensor> values) {
  ReplicaSignature whole;
  std::vector<Tensor> wholes;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!variables.requests[i].shape_and_slice.empty()) continue;
    whole.push_back(variables.signature[i]);
    wholes.push_back(values[i]);
  }
  return {SourceHash(whole, wholes, {}), ContentHash(variables.signature, values)};
}

bool HasHashes(const FoundVersion& found) {
  return found.own && !found.own->hashes.content.empty();
}

// A HashCache holds the hashes of versions that were read. Thread-safe.
class HashCache {
 public:
  std::optional<VersionHashes> Find(uint64_t version) const {
    MutexLock lock(mutex_);
    const auto known = hashes_.find(version);
    return known == hashes_.end() ? std::nullopt : std::optional(known->second);
  }
  void Remember(uint64_t version, const VersionHashes& hashes) {
    MutexLock lock(mutex_);
    if (hashes_.size() >= kMaxHashes) hashes_.clear();
    hashes_[version] = hashes;
  }

 private:
  mutable Mutex mutex_;
  std::map<uint64_t, VersionHashes> hashes_ RAMET_GUARDED_BY(mutex_);
};

// Reads a version, unless the scanner has found it damaged.
StatusOr<VersionValues> ReadFrom(const FoundVersion& found, const FolderState& state,
                                 const StoredVariables& variables) {
  const auto newest = state.newest();
  if (found.path == newest->found.path && !newest->damage.ok()) return newest->damage;
  return ReadVersion(found, variables);
}

class FilesFollower final : public FollowerTransport {
 public:
  FilesFollower(std::string address, CheckpointFolder folder)
      : address_(std::move(address)), folder_(std::move(folder)), watch_(folder_.dir) {}
  ~FilesFollower() override;
  Status Start(Clock::time_point deadline);

  const Announcement& announcement() const override { return announcement_; }
  uint64_t Newest(std::string_view label) const override { return state_.NewestVersion(label); }
  std::vector<uint64_t> Versions() const override;
  StatusOr<std::unique_ptr<HeldVersion>> Take(uint64_t version) override;
  void Wait(uint64_t* seen, Clock::time_point deadline) override { state_.Wait(seen, deadline); }
  StatusOr<VersionHashes> Hashes(uint64_t version, Clock::time_point deadline) override;
  Status Promote(std::string_view label, uint64_t version) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  StatusOr<PublisherStats> PublisherStatus() override;
  void Interrupt() override { state_.Interrupt(); }
  bool connected() const override { return !state_.superseded(); }
  bool has_publisher() const override { return HasPublisher(folder_); }
  std::string CheckpointOf(uint64_t version) const override;

 private:
  StatusOr<FolderScanner::Wanted> Describe(const FoundVersion& newest, Clock::time_point deadline);
  void ReadGraph(const FoundVersion& newest, Clock::time_point deadline);
  void Run();
  std::vector<FoundVersion> Find(uint64_t version) const;
  StatusOr<std::pair<FoundVersion, VersionValues>> Read(uint64_t version);
  void Settle(uint64_t version);

  const std::string address_;
  const CheckpointFolder folder_;
  Announcement announcement_;
  StoredVariables variables_;
  FolderState state_;
  std::optional<FolderScanner> scanner_;
  FolderWatch watch_;
  std::thread thread_;
  HashCache hashes_;
};

FilesFollower::~FilesFollower() {
  watch_.Stop();
  if (thread_.joinable()) thread_.join();
}

// Reads the graph and the signature of the newest checkpoint.
StatusOr<FolderScanner::Wanted> FilesFollower::Describe(const FoundVersion& newest,
                                                        Clock::time_point deadline) {
  ReadGraph(newest, deadline);
  FolderScanner::Wanted wanted;
  wanted.parts = PartsIn(announcement_.graph);
  RAMET_ASSIGN_OR_RETURN(variables_, VariablesOf(newest, wanted.parts));
  announcement_.signature = variables_.signature;
  announcement_.epoch = EpochOf(folder_.dir);
  if (newest.own && newest.own->info.id.epoch != 0) {
    announcement_.epoch = newest.own->info.id.epoch;
  }
  wanted.signature = announcement_.signature;
  wanted.epoch = announcement_.epoch;
  return wanted;
}

// Waits for the graph of a new checkpoint, because TensorFlow writes it after the first checkpoint.
void FilesFollower::ReadGraph(const FoundVersion& newest, Clock::time_point deadline) {
  while (true) {
    if (const std::string graph = GraphPathFor(newest.path); !graph.empty()) {
      announcement_.graph = ReadRegularFile(graph).value_or("");
      return;
    }
    const int64_t age = WallClockNanos() - newest.index.identity.mtime_ns;
    const bool is_old = age < 0 || age > std::chrono::nanoseconds(kSettleTime).count();
    if (newest.own || is_old || Clock::now() > deadline) return;
    std::this_thread::sleep_for(kUnsettledInterval);
  }
}

Status FilesFollower::Start(Clock::time_point deadline) {
  const FolderIdentity identity = IdentityOf(folder_.dir);
  const auto settled = std::min(deadline, Clock::now() + kSettleTime);
  while (!scanner_) {
    RAMET_ASSIGN_OR_RETURN(const std::string path, NewestPath(folder_));
    auto newest = FindVersionAt(path);
    auto wanted = newest.ok() ? Describe(*newest, settled) : newest.status();
    if (wanted.ok()) {
      wanted->folder = identity;
      state_.SetNewest({*std::move(newest), OkStatus()});
      scanner_.emplace(folder_, *std::move(wanted), state_);
    } else if (Clock::now() > settled) {
      return wanted.status();
    } else {
      std::this_thread::sleep_for(kUnsettledInterval);
    }
  }
  scanner_->ScanLabels();
  return StartThread(&thread_, [this] { Run(); });
}

void FilesFollower::Run() {
  using Result = FolderScanner::Result;
  Result result = Result::kUnsettled;
  const auto scan = [&] {
    result = scanner_->Scan();
    return OkStatus();
  };
  Guarded(scan).IgnoreError();
  while (watch_.Sleep(result == Result::kSettled ? kLookInterval : kUnsettledInterval)) {
    // After an exception, such as a lack of memory, the next round scans again.
    if (!state_.superseded()) Guarded(scan).IgnoreError();
  }
}

std::vector<uint64_t> FilesFollower::Versions() const {
  const std::vector<FoundVersion> listed = ListVersions(folder_);
  const auto newest = state_.newest();
  std::vector<uint64_t> versions = {newest->found.version};
  for (const FoundVersion& found : listed) {
    if (found.path != newest->found.path) versions.push_back(found.version);
  }
  const auto labels = state_.labels();
  for (const auto& [label, found] : *labels) versions.push_back(found.version);
  std::sort(versions.begin(), versions.end());
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  return versions;
}

// Returns all copies of a version. Except for a label's copy, each of them may disappear before it
// is read.
std::vector<FoundVersion> FilesFollower::Find(uint64_t version) const {
  const auto newest = state_.newest();
  std::vector<FoundVersion> copies;
  if (newest->found.version == version) copies.push_back(newest->found);
  const auto labels = state_.labels();
  for (const auto& [label, found] : *labels) {
    if (found.version == version) copies.push_back(found);
  }
  if (!copies.empty()) return copies;
  for (const FoundVersion& found : ListVersions(folder_)) {
    if (found.version != version || found.path == newest->found.path) continue;
    auto read = FindVersionAt(found.path);
    if (read.ok() && read->version == version) copies.push_back(*std::move(read));
  }
  return copies;
}

std::string FilesFollower::CheckpointOf(uint64_t version) const {
  const std::vector<FoundVersion> copies = Find(version);
  return copies.empty() ? "" : copies.front().path;
}

StatusOr<std::pair<FoundVersion, VersionValues>> FilesFollower::Read(uint64_t version) {
  Status failed = NotFound("version ", version, " is not kept");
  for (FoundVersion& found : Find(version)) {
    auto read = ReadFrom(found, state_, variables_);
    if (read.ok()) return std::pair(std::move(found), *std::move(read));
    failed = read.status();
  }
  return failed;
}

// Waits until a scan has found out what replaced a version.
void FilesFollower::Settle(uint64_t version) {
  const auto deadline = Clock::now() + kSettleTime;
  while (true) {
    scanner_->Scan();
    if (state_.superseded() || state_.interrupted()) return;
    if (state_.newest()->found.version != version || Clock::now() > deadline) return;
    std::this_thread::sleep_for(kUnsettledInterval);
  }
}

StatusOr<std::unique_ptr<HeldVersion>> FilesFollower::Take(uint64_t version) {
  auto read = Read(version);
  if (IsNotFound(read.status())) Settle(version);
  if (!read.ok()) return read.status().WithContext(StrCat("file:", address_));
  auto& [found, values] = *read;
  if (HasHashes(found)) hashes_.Remember(version, found.own->hashes);
  auto held = std::make_unique<HeldVersion>();
  if (found.own) held->info = found.own->info;
  held->info.id = {announcement_.epoch, version, values.step};
  if (!found.own) held->info.time_nanos = found.index.identity.mtime_ns;
  held->values = std::move(values.values);
  return held;
}

StatusOr<VersionHashes> FilesFollower::Hashes(uint64_t version, Clock::time_point) {
  if (const auto known = hashes_.Find(version)) return *known;
  for (const FoundVersion& found : Find(version)) {
    if (HasHashes(found)) return found.own->hashes;
  }
  const auto read = Read(version);
  if (!read.ok()) return read.status().WithContext(StrCat("file:", address_));
  const VersionHashes hashes = HashesOf(variables_, read->second.values);
  hashes_.Remember(version, hashes);
  return hashes;
}

Status FilesFollower::Promote(std::string_view label, uint64_t version) {
  RAMET_RETURN_IF_ERROR(PromoteVersion(folder_, label, version));
  scanner_->Scan();
  return OkStatus();
}

StatusOr<uint64_t> FilesFollower::Rollback(uint64_t version) {
  RAMET_ASSIGN_OR_RETURN(const uint64_t now, RollBackTo(folder_, version));
  scanner_->Scan();
  return now;
}

StatusOr<PublisherStats> FilesFollower::PublisherStatus() {
  PublisherStats stats = StatsOf(folder_);
  stats.epoch = announcement_.epoch;
  return stats;
}

}  // namespace

StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(const std::string& address,
                                                             Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(CheckpointFolder folder, FollowedFolder(address));
  auto follower = std::make_unique<FilesFollower>(address, std::move(folder));
  RAMET_RETURN_IF_ERROR(follower->Start(deadline));
  return std::unique_ptr<FollowerTransport>(std::move(follower));
}

}  // namespace ramet::files
