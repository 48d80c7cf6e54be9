#include "ramet/replica/files/files_follower.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/files/epochs.h"
#include "ramet/replica/files/folder_watch.h"
#include "ramet/replica/files/version_reader.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_hash.h"

namespace ramet::files {
namespace {

using Clock = FollowerTransport::Clock;
using std::chrono::milliseconds;

// How often it looks without a notice; while a checkpoint is being written, and how long that may
// take before it counts as damaged.
constexpr milliseconds kLookInterval(200);
constexpr milliseconds kUnsettledInterval(5);
constexpr milliseconds kSettleTime(1000);
constexpr int kSettleLooks = 20;  // at least, since this process may have stood still, too
// Files written so recently may be written again without another time of modification.
constexpr int64_t kRecentNs = 2'000'000'000;
constexpr size_t kMostHashes = 64;

// A folder itself, whatever happens in it.
struct FolderIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FolderIdentity&) const = default;
};

FolderIdentity IdentityOf(const std::string& dir) {
  struct stat s;
  if (::stat(dir.c_str(), &s) != 0 || !S_ISDIR(s.st_mode)) return {};
  return {s.st_dev, s.st_ino};
}

// The source is the checkpoint: parts of a variable are one tensor there.
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

class FilesFollower final : public FollowerTransport {
 public:
  FilesFollower(std::string address, Place place)
      : address_(std::move(address)), place_(std::move(place)), watch_(place_.dir) {}
  ~FilesFollower() override;
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
  bool connected() const override { return !superseded_; }

 private:
  enum class Look { kSettled, kUnsettled };

  Status Describe(const FoundVersion& newest, Clock::time_point deadline);
  void ReadGraph(const FoundVersion& newest, Clock::time_point deadline);
  void Run();
  Look Scan();
  Look ScanNewest();
  Look Adopt(FoundVersion found);
  Look NoteUnreadable(const std::string& path, const Status& why);
  void ScanLabels();
  bool IsUnchanged(const std::string& path);
  void Supersede();
  void Publish(const std::function<void()>& change);
  std::vector<FoundVersion> Find(uint64_t version) const;
  StatusOr<std::pair<FoundVersion, VersionValues>> Read(uint64_t version);
  StatusOr<VersionValues> ReadFrom(const FoundVersion& found);
  void Settle(uint64_t version);
  void Remember(uint64_t version, const VersionHashes& hashes);

  const std::string address_;
  const Place place_;
  Announcement announcement_;
  StoredVariables variables_;
  std::vector<VariablePart> parts_;
  FolderIdentity folder_;
  FolderWatch watch_;
  std::thread thread_;
  std::atomic<bool> superseded_ = false;

  std::mutex scan_mutex_;  // of those who look
  std::map<std::string, FileIdentity> label_files_;
  std::string unreadable_;
  Clock::time_point unreadable_since_;
  int unreadable_looks_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FoundVersion newest_;
  Status damage_;  // of the newest one
  std::map<std::string, FoundVersion> labels_;
  std::map<uint64_t, VersionHashes> hashes_;
  uint64_t changes_ = 1;
  bool interrupted_ = false;
};

FilesFollower::~FilesFollower() {
  watch_.Stop();
  if (thread_.joinable()) thread_.join();
}

// Savers that overwrite a checkpoint write its index for some time.
Status FilesFollower::Describe(const FoundVersion& newest, Clock::time_point deadline) {
  ReadGraph(newest, deadline);
  parts_ = PartsIn(announcement_.graph);
  RAMET_ASSIGN_OR_RETURN(variables_, VariablesOf(newest, parts_));
  announcement_.signature = variables_.signature;
  announcement_.epoch = EpochOf(place_.dir);
  if (newest.own && newest.own->info.id.epoch != 0) {
    announcement_.epoch = newest.own->info.id.epoch;
  }
  newest_ = newest;
  return OkStatus();
}

// TensorFlow writes the graph after the first checkpoint.
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
  folder_ = IdentityOf(place_.dir);
  const auto settled = std::min(deadline, Clock::now() + kSettleTime);
  while (true) {
    RAMET_ASSIGN_OR_RETURN(const std::string path, NewestPath(place_));
    const auto newest = FindVersionAt(path);
    const Status status = newest.ok() ? Describe(*newest, settled) : newest.status();
    if (status.ok()) break;
    if (Clock::now() > settled) return status;
    std::this_thread::sleep_for(kUnsettledInterval);
  }
  ScanLabels();
  return StartThread(&thread_, [this] { Run(); });
}

void FilesFollower::Run() {
  Look look = Look::kUnsettled;
  const auto scan = [&] {
    look = Scan();
    return OkStatus();
  };
  Guarded(scan).IgnoreError();
  while (watch_.Sleep(look == Look::kSettled ? kLookInterval : kUnsettledInterval)) {
    // After an exception, memory that is short for example, it looks again.
    if (!superseded_) Guarded(scan).IgnoreError();
  }
}

FilesFollower::Look FilesFollower::Scan() {
  std::lock_guard lock(scan_mutex_);
  if (superseded_) return Look::kSettled;
  if (!(IdentityOf(place_.dir) == folder_)) {
    Supersede();
    return Look::kSettled;
  }
  ScanLabels();
  return ScanNewest();
}

// Changes what users see, and wakes them.
void FilesFollower::Publish(const std::function<void()>& change) {
  std::lock_guard lock(mutex_);
  change();
  ++changes_;
  changed_.notify_all();
}

void FilesFollower::Supersede() {
  Publish([this] { superseded_ = true; });
}

void FilesFollower::ScanLabels() {
  std::map<std::string, FileIdentity> label_files = LabelFiles(place_);
  if (label_files == label_files_) return;
  label_files_ = std::move(label_files);
  std::map<std::string, FoundVersion> labels = ReadLabels(place_);
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.version == b.second.version &&
           a.second.path == b.second.path;
  };
  if (std::equal(labels.begin(), labels.end(), labels_.begin(), labels_.end(), same)) return;
  Publish([&] { labels_ = std::move(labels); });
}

bool FilesFollower::IsUnchanged(const std::string& path) {
  if (path != newest_.path || !damage_.ok()) return false;
  const FileIdentity& known = newest_.index.identity;
  const auto identity = GetFileIdentity(path + ".index");
  return identity.ok() && *identity == known && WallClockNanos() - known.mtime_ns > kRecentNs;
}

FilesFollower::Look FilesFollower::ScanNewest() {
  const auto path = NewestPath(place_);
  if (!path.ok()) Supersede();
  if (!path.ok() || IsUnchanged(*path)) {
    unreadable_.clear();
    return Look::kSettled;
  }
  auto found = FindVersionAt(*path);
  if (!found.ok()) return NoteUnreadable(*path, found.status());
  const bool same_place = found->path == newest_.path;
  if (same_place && found->index.SameBytes(newest_.index) && damage_.ok()) {
    unreadable_.clear();
    std::lock_guard lock(mutex_);
    newest_.index = found->index;
    return Look::kSettled;
  }
  const auto variables = VariablesOf(*found, parts_);
  const auto after = PrintOf(*path);
  if (!after.ok() || !(*after == found->index)) return Look::kUnsettled;
  if (IsDataLoss(variables.status()) || IsNotFound(variables.status())) {
    return NoteUnreadable(*path, variables.status());
  }
  unreadable_.clear();
  if (!variables.ok() || !(variables->signature == announcement_.signature)) {
    Supersede();
    return Look::kSettled;
  }
  return Adopt(*std::move(found));
}

// A whole index that is not the one before.
FilesFollower::Look FilesFollower::Adopt(FoundVersion found) {
  const bool is_numbered = found.own || NumberOf(found.path);
  if (!is_numbered) found.version = std::max(found.version, newest_.version + 1);
  const uint64_t epoch = found.own ? found.own->info.id.epoch : 0;
  const bool is_mended = !damage_.ok() && found.version == newest_.version;
  if (epoch != 0 && epoch != announcement_.epoch) {
    Supersede();
  } else if (found.version <= newest_.version && !is_mended) {
    BeginEpoch(place_.dir);
    Supersede();
  } else {
    Publish([&] {
      newest_ = std::move(found);
      damage_ = OkStatus();
    });
  }
  return Look::kSettled;
}

// It may be half-written; if that stays so, it is damaged.
FilesFollower::Look FilesFollower::NoteUnreadable(const std::string& path, const Status& why) {
  const auto now = Clock::now();
  if (unreadable_ != path) {
    unreadable_ = path;
    unreadable_since_ = now;
    unreadable_looks_ = 0;
  }
  ++unreadable_looks_;
  if (now - unreadable_since_ < kSettleTime || unreadable_looks_ < kSettleLooks) {
    return Look::kUnsettled;
  }
  const uint64_t version = NumberOf(path).value_or(newest_.version + 1);
  if (damage_.ok() && version > newest_.version) {
    Publish([&] {
      newest_ = FoundVersion{version, path, {}, std::nullopt};
      damage_ = IsFailedPrecondition(why)
                    ? why
                    : DataLoss("version ", version, " is damaged: ", why.message());
    });
  }
  return Look::kSettled;
}

// 0 when this transport has ended: then there is nothing newer to take here.
uint64_t FilesFollower::Newest(std::string_view label) const {
  std::lock_guard lock(mutex_);
  if (superseded_) return 0;
  if (label.empty()) return newest_.version;
  const auto found = labels_.find(std::string(label));
  return found == labels_.end() ? 0 : found->second.version;
}

std::vector<uint64_t> FilesFollower::Versions() const {
  std::vector<uint64_t> versions;
  const std::vector<FoundVersion> listed = ListVersions(place_);
  std::lock_guard lock(mutex_);
  for (const FoundVersion& found : listed) {
    if (found.path != newest_.path) versions.push_back(found.version);
  }
  versions.push_back(newest_.version);
  for (const auto& [label, found] : labels_) versions.push_back(found.version);
  std::sort(versions.begin(), versions.end());
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  return versions;
}

// The places of a version. All, because each but a label's may be gone before it is read.
std::vector<FoundVersion> FilesFollower::Find(uint64_t version) const {
  std::vector<FoundVersion> places;
  std::string newest_path;
  {
    std::lock_guard lock(mutex_);
    newest_path = newest_.path;
    if (newest_.version == version) places.push_back(newest_);
    for (const auto& [label, found] : labels_) {
      if (found.version == version) places.push_back(found);
    }
  }
  if (!places.empty()) return places;
  for (const FoundVersion& found : ListVersions(place_)) {
    if (found.version != version || found.path == newest_path) continue;
    auto read = FindVersionAt(found.path);
    if (read.ok() && read->version == version) places.push_back(*std::move(read));
  }
  return places;
}

StatusOr<std::pair<FoundVersion, VersionValues>> FilesFollower::Read(uint64_t version) {
  Status failed = NotFound("version ", version, " is not kept (any more)");
  for (FoundVersion& found : Find(version)) {
    auto read = ReadFrom(found);
    if (read.ok()) return std::pair(std::move(found), *std::move(read));
    failed = read.status();
  }
  return failed;
}

StatusOr<VersionValues> FilesFollower::ReadFrom(const FoundVersion& found) {
  {
    std::lock_guard lock(mutex_);
    if (found.path == newest_.path && !damage_.ok()) return damage_;
  }
  return ReadVersion(found, variables_);
}

// Until it is known what has come in the place of a version.
void FilesFollower::Settle(uint64_t version) {
  const auto deadline = Clock::now() + kSettleTime;
  while (true) {
    Scan();
    {
      std::lock_guard lock(mutex_);
      if (superseded_ || interrupted_ || newest_.version != version) return;
    }
    if (Clock::now() > deadline) return;
    std::this_thread::sleep_for(kUnsettledInterval);
  }
}

StatusOr<std::unique_ptr<HeldVersion>> FilesFollower::Take(uint64_t version) {
  auto read = Read(version);
  if (IsNotFound(read.status())) Settle(version);
  if (!read.ok()) return read.status().WithContext(StrCat("file:", address_));
  auto& [found, values] = *read;
  if (HasHashes(found)) Remember(version, found.own->hashes);
  auto held = std::make_unique<HeldVersion>();
  if (found.own) held->info = found.own->info;
  held->info.id = {announcement_.epoch, version, values.step};
  if (!found.own) held->info.time_nanos = found.index.identity.mtime_ns;
  held->values = std::move(values.values);
  return held;
}

void FilesFollower::Wait(uint64_t* seen, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return changes_ != *seen || interrupted_ || superseded_; };
  if (deadline == Clock::time_point::max()) {
    changed_.wait(lock, is_over);
  } else {
    changed_.wait_until(lock, deadline, is_over);
  }
  *seen = changes_;
}

StatusOr<VersionHashes> FilesFollower::Hashes(uint64_t version, Clock::time_point) {
  {
    std::lock_guard lock(mutex_);
    if (const auto known = hashes_.find(version); known != hashes_.end()) return known->second;
  }
  for (const FoundVersion& found : Find(version)) {
    if (HasHashes(found)) return found.own->hashes;
  }
  const auto read = Read(version);
  if (!read.ok()) return read.status().WithContext(StrCat("file:", address_));
  const VersionHashes hashes = HashesOf(variables_, read->second.values);
  Remember(version, hashes);
  return hashes;
}

void FilesFollower::Remember(uint64_t version, const VersionHashes& hashes) {
  std::lock_guard lock(mutex_);
  if (hashes_.size() >= kMostHashes) hashes_.clear();
  hashes_[version] = hashes;
}

Status FilesFollower::Promote(std::string_view label, uint64_t version) {
  RAMET_RETURN_IF_ERROR(PromoteVersion(place_, label, version));
  Scan();
  return OkStatus();
}

StatusOr<uint64_t> FilesFollower::Rollback(uint64_t version) {
  RAMET_ASSIGN_OR_RETURN(const uint64_t now, RollBackTo(place_, version));
  Scan();
  return now;
}

StatusOr<PublisherStats> FilesFollower::PublisherStatus() {
  PublisherStats stats = StatsOf(place_);
  stats.epoch = announcement_.epoch;
  return stats;
}

void FilesFollower::Interrupt() {
  Publish([this] { interrupted_ = true; });
}

}  // namespace

StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(const std::string& address,
                                                             Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(Place place, FollowedPlace(address));
  auto follower = std::make_unique<FilesFollower>(address, std::move(place));
  RAMET_RETURN_IF_ERROR(follower->Start(deadline));
  return std::unique_ptr<FollowerTransport>(std::move(follower));
}

}  // namespace ramet::files
