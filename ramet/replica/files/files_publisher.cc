#include "ramet/replica/files/files_publisher.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <optional>
#include <thread>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/retention.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_hash.h"

namespace ramet::files {
namespace {

constexpr std::string_view kVersionSuffix = ".version";

// Holds the lock file "PREFIX.publisher" during its lifetime. On a file system without locks,
// several publishers may hold it.
class PublisherLock {
 public:
  PublisherLock() = default;
  PublisherLock(const PublisherLock&) = delete;
  PublisherLock& operator=(const PublisherLock&) = delete;
  ~PublisherLock() {
    if (fd_.get() >= 0) RemoveFile(path_).IgnoreError();
  }
  Status Take(const Place& place) {
    path_ = JoinPath(place.dir, StrCat(place.prefix, ".publisher"));
    while (true) {
      RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenOwnFile(path_, O_RDWR | O_CREAT));
      if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return AlreadyExists("'", place.dir, "/", place.prefix, "' has a publisher (which holds ",
                             path_, "); end that publisher, or choose ",
                             "a different folder or prefix");
      }
      if (!IsAt(fd.get())) continue;
      fd_ = std::move(fd);
      return OkStatus();
    }
  }

 private:
  // Reports whether the file is still at path_. Its previous owner may have removed it.
  bool IsAt(int fd) const {
    struct stat opened, named;
    return ::fstat(fd, &opened) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
  }
  std::string path_;
  FileDescriptor fd_;
};

using Folder = Place;

class FilesPublisher final : public PublisherTransport {
 public:
  FilesPublisher(std::string address, Folder place, Announcement announcement,
                 const RetentionOptions& retention)
      : address_(std::move(address)),
        place_(std::move(place)),
        announcement_(std::move(announcement)),
        retention_(retention) {}
  ~FilesPublisher() override;
  Status Start();

  StatusOr<Tensor> Place(const Tensor& value) override { return value; }
  StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                             std::span<const Tensor> sources) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  Status Promote(std::string_view label, uint64_t version) override;
  PublisherStats stats() const override;

 private:
  struct Job {
    VersionInfo info;
    std::string path;
    std::vector<Tensor> values, sources;
  };

  Status CheckLayout() const;
  void BeginAfter(uint64_t epoch);
  void Run();
  // Waits for a job. Returns nothing when the thread must end.
  std::optional<Job> TakeJob() RAMET_EXCLUDES(mutex_);
  void NoteWritten(const VersionInfo& info, uint64_t bytes, const Status& status)
      RAMET_EXCLUDES(mutex_);
  void WaitUntilWritten() RAMET_REQUIRES(mutex_);
  void FollowFolder() RAMET_REQUIRES(mutex_);
  Status Write(const Job& job);
  Status WriteTensors(const Job& job) const;
  Status WriteGraph(const std::string& path);
  Status Commit(const Job& job, VersionFile own);
  std::vector<FoundVersion> OwnVersions() const;
  Status Record(const std::string& latest) const;
  void RemoveOld();
  void RemoveUnfinished() const;
  void RefreshBytes() RAMET_EXCLUDES(mutex_);

  const std::string address_;
  const Folder place_;
  Announcement announcement_;
  const RetentionOptions retention_;
  PublisherLock lock_;
  std::string graph_file_;  // the last one written; used by the writing thread only

  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ RAMET_GUARDED_BY(mutex_) = false;
  bool is_writing_ RAMET_GUARDED_BY(mutex_) = false;
  std::optional<Job> job_ RAMET_GUARDED_BY(mutex_);
  Status failure_ RAMET_GUARDED_BY(mutex_);
  uint64_t number_ RAMET_GUARDED_BY(mutex_) = 0;  // the highest number in a checkpoint's name
  PublisherStats stats_ RAMET_GUARDED_BY(mutex_);
  std::thread writer_;
};

Status FilesPublisher::Start() {
  RAMET_RETURN_IF_ERROR(lock_.Take(place_));
  RAMET_RETURN_IF_ERROR(CheckLayout());
  RemoveUnfinished();
  {
    MutexLock lock(mutex_);
    for (const FoundVersion& found : ListVersions(place_)) {
      stats_.version = std::max(stats_.version, found.version);
      number_ = std::max(number_, NumberOf(found.path).value_or(0));
      if (found.own) BeginAfter(found.own->info.id.epoch);
    }
    stats_.epoch = announcement_.epoch;
  }
  RefreshBytes();
  return StartThread(&writer_, [this] { Run(); });
}

FilesPublisher::~FilesPublisher() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (writer_.joinable()) writer_.join();
}

// Fails if the newest version has a layout that this program cannot read, so that versions of
// different layouts are not mixed.
Status FilesPublisher::CheckLayout() const {
  const auto path = NewestPath(place_);
  if (!path.ok()) return OkStatus();
  const Status status = FindVersionAt(*path).status();
  return IsFailedPrecondition(status) ? status : OkStatus();
}

// Makes the epoch larger than `epoch`, even if the clock was set back.
void FilesPublisher::BeginAfter(uint64_t epoch) {
  const uint64_t next = std::min(epoch, UINT64_MAX - 1) + 1;
  announcement_.epoch = std::max(announcement_.epoch, next);
}

// Removes the files of a publisher that was killed while writing.
void FilesPublisher::RemoveUnfinished() const {
  const std::string any = JoinPath(place_.dir, place_.prefix);
  RemoveLeftovers(any, "meta", "checkpoint");
  RemoveLeftovers(any, kVersionSuffix.substr(1), "checkpoint");
  for (const std::string& file : ListDir(place_.dir).value_or({})) {
    if (!file.ends_with(kVersionSuffix) || !file.starts_with(place_.prefix)) continue;
    const std::string path =
        JoinPath(place_.dir, file.substr(0, file.size() - kVersionSuffix.size()));
    const auto own = ReadVersionFile(path);
    if (own.ok() && own->index_bytes == 0) RemoveVersion(path).IgnoreError();
  }
}

// Catches up with the folder, where another process may have rolled back.
void FilesPublisher::FollowFolder() {
  const auto path = NewestPath(place_);
  if (!path.ok()) return;
  number_ = std::max(number_, NumberOf(*path).value_or(0));
  if (const auto newest = FindVersionAt(*path); newest.ok()) {
    stats_.version = std::max(stats_.version, newest->version);
  }
}

StatusOr<uint64_t> FilesPublisher::Publish(const VersionInfo& info, std::span<const Tensor> values,
                                           std::span<const Tensor> sources) {
  MutexLock lock(mutex_);
  if (is_writing_ && retention_.at_limit == RetentionOptions::AtLimit::kSkip) {
    ++stats_.skipped;
    return ResourceExhausted("file:", address_, ": version ", stats_.version,
                             " is still being written; publish less often, or set ",
                             "RetentionOptions::at_limit to kWait");
  }
  WaitUntilWritten();
  if (!failure_.ok()) return std::exchange(failure_, OkStatus());
  FollowFolder();
  Job job{info, "", {values.begin(), values.end()}, {sources.begin(), sources.end()}};
  job.info.id.epoch = announcement_.epoch;
  job.info.id.version = ++stats_.version;
  const auto step = static_cast<uint64_t>(std::max<int64_t>(info.id.step, 0));
  number_ = std::max(number_ + 1, step);
  job.path = JoinPath(place_.dir, StrCat(place_.prefix, "-", number_));
  job_ = std::move(job);
  is_writing_ = true;
  changed_.NotifyAll();
  return stats_.version;
}

void FilesPublisher::WaitUntilWritten() {
  while (is_writing_) changed_.Wait(mutex_);
}

std::optional<FilesPublisher::Job> FilesPublisher::TakeJob() {
  MutexLock lock(mutex_);
  while (!job_ && !stopping_) changed_.Wait(mutex_);
  return std::exchange(job_, std::nullopt);
}

void FilesPublisher::Run() {
  while (std::optional<Job> job = TakeJob()) {
    const Status status = Guarded([&] { return Write(*job); });
    const Status tidied = Guarded([&] {
      if (status.ok()) RemoveOld();
      RefreshBytes();
      return OkStatus();
    });
    tidied.IgnoreError();
    const VersionInfo info = job->info;
    uint64_t bytes = 0;
    for (const Tensor& value : job->values) bytes += value.bytes();
    job.reset();
    NoteWritten(info, bytes, status);
  }
}

void FilesPublisher::NoteWritten(const VersionInfo& info, uint64_t bytes, const Status& status) {
  MutexLock lock(mutex_);
  is_writing_ = false;
  if (status.ok()) {
    ++stats_.published;
    stats_.bytes_copied += bytes;
    stats_.step = info.id.step;
    stats_.time_nanos = info.time_nanos;
  } else {
    LogWarning("file:", address_, ": version ", info.id.version,
               " was not written: ", status.message());
    failure_ = status.WithContext(
        StrCat("file:", address_, ": version ", info.id.version, " was not written"));
  }
  changed_.NotifyAll();
}

// Writes the index after all other files of the version, because a checkpoint without an index does
// not exist for readers. Only the files that refer to it follow.
Status FilesPublisher::Write(const Job& job) {
  const ReplicaSignature& signature = announcement_.signature;
  VersionFile own{job.info, signature, {}, 0, 0};
  own.hashes.source = SourceHash(signature, job.values, job.sources);
  own.hashes.content = ContentHash(signature, job.values);
  Status status = WriteVersionFile(job.path, own);
  if (status.ok()) status = WriteGraph(job.path);
  if (status.ok()) status = WriteTensors(job);
  if (status.ok()) status = Commit(job, std::move(own));
  if (!status.ok()) RemoveVersion(job.path).IgnoreError();
  return status;
}

// Links to the previous graph file if the file system supports that, or else writes a new one.
Status FilesPublisher::WriteGraph(const std::string& path) {
  if (announcement_.graph.empty()) return OkStatus();
  std::string file = GraphPathOf(path, announcement_.graph);
  RAMET_RETURN_IF_ERROR(RemoveIfThere(file));
  if (graph_file_.empty() || ::link(graph_file_.c_str(), file.c_str()) != 0) {
    RAMET_RETURN_IF_ERROR(AtomicWriteFile(file, announcement_.graph));
  }
  graph_file_ = std::move(file);
  return OkStatus();
}

Status FilesPublisher::WriteTensors(const Job& job) const {
  const ReplicaSignature& signature = announcement_.signature;
  std::vector<size_t> order(signature.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return signature[a].name < signature[b].name; });
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(job.path));
  for (const size_t i : order) {
    RAMET_RETURN_IF_ERROR(writer.Add(signature[i].name, job.values[i]));
  }
  return writer.Finish();
}

Status FilesPublisher::Commit(const Job& job, VersionFile own) {
  RAMET_ASSIGN_OR_RETURN(const IndexPrint index, PrintOf(job.path));
  own.index_bytes = index.identity.size;
  own.index_crc = index.crc;
  RAMET_RETURN_IF_ERROR(WriteVersionFile(job.path, own));
  return Record(job.path);
}

std::vector<FoundVersion> FilesPublisher::OwnVersions() const {
  std::vector<FoundVersion> own = ListVersions(place_);
  std::erase_if(own, [](const FoundVersion& found) { return !found.own; });
  return own;
}

// Makes the state file list the versions that will remain after the old ones are removed.
Status FilesPublisher::Record(const std::string& latest) const {
  CheckpointStateInfo state;
  const std::vector<FoundVersion> own = OwnVersions();
  const size_t kept = static_cast<size_t>(std::max(retention_.retained, 1));
  for (size_t i = own.size() - std::min(kept, own.size()); i < own.size(); ++i) {
    if (own[i].path != latest) state.all_model_checkpoint_paths.push_back(own[i].path);
  }
  state.model_checkpoint_path = latest;
  return WriteCheckpointState(place_.dir, std::move(state), {.save_relative_paths = true});
}

// Removes old versions of this publisher. Other checkpoints stay.
void FilesPublisher::RemoveOld() {
  const std::vector<FoundVersion> own = OwnVersions();
  const size_t kept = static_cast<size_t>(std::max(retention_.retained, 1));
  for (size_t i = 0; i + kept < own.size(); ++i) {
    if (const Status status = RemoveVersion(own[i].path); !status.ok()) {
      LogWarning("file:", address_, ": cannot remove an old version: ", status.message());
    }
  }
}

void FilesPublisher::RefreshBytes() {
  const PublisherStats now = StatsOf(place_);
  MutexLock lock(mutex_);
  stats_.bytes_in_use = now.bytes_in_use;
}

StatusOr<uint64_t> FilesPublisher::Rollback(uint64_t version) {
  MutexLock lock(mutex_);
  WaitUntilWritten();
  RAMET_ASSIGN_OR_RETURN(stats_.version, RollBackTo(place_, version));
  FollowFolder();
  return stats_.version;
}

Status FilesPublisher::Promote(std::string_view label, uint64_t version) {
  MutexLock lock(mutex_);
  WaitUntilWritten();
  return PromoteVersion(place_, label, version);
}

PublisherStats FilesPublisher::stats() const {
  PublisherStats stats;
  {
    MutexLock lock(mutex_);
    stats = stats_;
  }
  for (const auto& [label, found] : ReadLabels(place_)) stats.labels[label] = found.version;
  return stats;
}

}  // namespace

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions&) {
  RAMET_ASSIGN_OR_RETURN(Place place, PublishedPlace(address));
  auto publisher = std::make_unique<FilesPublisher>(address, std::move(place),
                                                    std::move(announcement), retention);
  RAMET_RETURN_IF_ERROR(publisher->Start());
  return std::unique_ptr<PublisherTransport>(std::move(publisher));
}

}  // namespace ramet::files
