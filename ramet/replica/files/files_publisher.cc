#include "ramet/replica/files/files_publisher.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/mutex.h"
#include "ramet/base/strings.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/files/file_lock.h"
#include "ramet/replica/files/version_writer.h"
#include "ramet/replica/files/write_queue.h"
#include "ramet/replica/start_thread.h"

namespace ramet::files {
namespace {

constexpr auto kProbePause = std::chrono::milliseconds(5);
constexpr int kLockTries = 4;

// Locks the file. Tries again, because a monitor that looks for a publisher locks it for a moment.
StatusOr<bool> TryLockAgain(int fd, const std::string& path) {
  for (int tries = 1;; ++tries) {
    RAMET_ASSIGN_OR_RETURN(const bool is_locked, TryLock(fd, path));
    if (is_locked || tries == kLockTries) return is_locked;
    std::this_thread::sleep_for(kProbePause);
  }
}

// A PublisherLock holds the lock file "PREFIX.publisher" during its lifetime. On a file system
// without locks, several publishers may hold it.
class PublisherLock {
 public:
  PublisherLock() = default;
  PublisherLock(const PublisherLock&) = delete;
  PublisherLock& operator=(const PublisherLock&) = delete;
  ~PublisherLock() {
    if (fd_.get() >= 0) RemoveFile(path_).IgnoreError();
  }
  Status Take(const CheckpointFolder& folder) {
    path_ = JoinPath(folder.dir, StrCat(folder.prefix, kPublisherSuffix));
    while (true) {
      RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenOwnFile(path_, O_RDWR | O_CREAT));
      RAMET_ASSIGN_OR_RETURN(const bool is_locked, TryLockAgain(fd.get(), path_));
      if (!is_locked) {
        return AlreadyExists("'", folder.dir, "/", folder.prefix, "' has a publisher (which holds ",
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

// A FilesPublisher passes versions to a thread of its own, which writes them.
class FilesPublisher final : public PublisherTransport {
 public:
  FilesPublisher(const std::string& address, CheckpointFolder folder, Announcement announcement,
                 const RetentionOptions& retention)
      : folder_(std::move(folder)),
        announcement_(std::move(announcement)),
        files_(address, folder_, retention.retained),
        queue_(address, retention.at_limit) {}
  ~FilesPublisher() override;
  Status Start();

  StatusOr<Tensor> MakePublishable(const Tensor& value) override { return value; }
  StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                             std::span<const Tensor> sources,
                             std::shared_ptr<const DeviceCopies> copies) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  Status Promote(std::string_view label, uint64_t version) override;
  Status Flush() override { return queue_.Flush(); }
  PublisherStats stats() const override;

 private:
  void BeginAfter(uint64_t epoch);
  void CatchUpWithFolder() RAMET_REQUIRES(turn_mutex_);
  void Run();

  const CheckpointFolder folder_;
  Announcement announcement_;
  PublisherLock lock_;
  VersionWriter files_;  // used by the writing thread, after Start
  WriteQueue queue_;

  Mutex turn_mutex_;                                   // held by one change of the folder at a time
  uint64_t number_ RAMET_GUARDED_BY(turn_mutex_) = 0;  // the highest number in a checkpoint's name
  std::thread thread_;
};

Status FilesPublisher::Start() {
  RAMET_RETURN_IF_ERROR(lock_.Take(folder_));
  RAMET_RETURN_IF_ERROR(files_.Begin(announcement_));
  uint64_t version = 0;
  {
    MutexLock turn(turn_mutex_);
    for (const FoundVersion& found : ListVersions(folder_)) {
      version = std::max(version, found.version);
      number_ = std::max(number_, NumberOf(found.path).value_or(0));
      if (found.own) BeginAfter(found.own->info.id.epoch);
    }
  }
  queue_.Begin(announcement_.epoch, version);
  queue_.SetBytesInUse(StatsOf(folder_).bytes_in_use);
  return StartThread(&thread_, [this] { Run(); });
}

FilesPublisher::~FilesPublisher() {
  queue_.Close();
  if (thread_.joinable()) thread_.join();
}

// Makes the epoch larger than `epoch`, even if the clock was set back.
void FilesPublisher::BeginAfter(uint64_t epoch) {
  const uint64_t next = std::min(epoch, UINT64_MAX - 1) + 1;
  announcement_.epoch = std::max(announcement_.epoch, next);
}

// Catches up with the folder, where another process may have rolled back.
void FilesPublisher::CatchUpWithFolder() {
  const auto path = NewestPath(folder_);
  if (!path.ok()) return;
  number_ = std::max(number_, NumberOf(*path).value_or(0));
  if (const auto newest = FindVersionAt(*path); newest.ok()) {
    queue_.SetVersion(std::max(queue_.version(), newest->version));
  }
}

// Waits for room before its turn too, so that skipping does not wait for a promotion.
StatusOr<uint64_t> FilesPublisher::Publish(const VersionInfo& info, std::span<const Tensor> values,
                                           std::span<const Tensor> sources,
                                           std::shared_ptr<const DeviceCopies> /*copies*/) {
  RAMET_RETURN_IF_ERROR(queue_.WaitForRoom());
  MutexLock turn(turn_mutex_);
  RAMET_RETURN_IF_ERROR(queue_.WaitForRoom());
  CatchUpWithFolder();
  const auto step = static_cast<uint64_t>(std::max<int64_t>(info.id.step, 0));
  number_ = std::max(number_ + 1, step);
  return queue_.Push({info,
                      JoinPath(folder_.dir, StrCat(folder_.prefix, "-", number_)),
                      {values.begin(), values.end()},
                      {sources.begin(), sources.end()}});
}

void FilesPublisher::Run() {
  while (std::optional<WrittenVersion> version = queue_.Take()) {
    const Status status = Guarded([&] { return files_.Write(*version); });
    Guarded([&] {
      if (status.ok()) files_.RemoveOld();
      queue_.SetBytesInUse(StatsOf(folder_).bytes_in_use);
      return OkStatus();
    }).IgnoreError();
    const VersionInfo info = version->info;
    uint64_t bytes = 0;
    for (const Tensor& value : version->values) bytes += value.bytes();
    version.reset();
    queue_.NoteWritten(info, bytes, status);
  }
}

StatusOr<uint64_t> FilesPublisher::Rollback(uint64_t version) {
  MutexLock turn(turn_mutex_);
  RAMET_RETURN_IF_ERROR(queue_.WaitUntilWritten());
  RAMET_ASSIGN_OR_RETURN(const uint64_t made, RollBackTo(folder_, version));
  queue_.SetVersion(made);
  CatchUpWithFolder();
  return queue_.version();
}

Status FilesPublisher::Promote(std::string_view label, uint64_t version) {
  MutexLock turn(turn_mutex_);
  RAMET_RETURN_IF_ERROR(queue_.WaitUntilWritten());
  return PromoteVersion(folder_, label, version);
}

PublisherStats FilesPublisher::stats() const {
  PublisherStats stats = queue_.stats();
  for (const auto& [label, found] : ReadLabels(folder_)) stats.labels[label] = found.version;
  return stats;
}

}  // namespace

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions&) {
  RAMET_ASSIGN_OR_RETURN(CheckpointFolder folder, PublishedFolder(address));
  auto publisher = std::make_unique<FilesPublisher>(address, std::move(folder),
                                                    std::move(announcement), retention);
  RAMET_RETURN_IF_ERROR(publisher->Start());
  return std::unique_ptr<PublisherTransport>(std::move(publisher));
}

}  // namespace ramet::files
