#include "ramet/format/bundle_commit.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <set>
#include <thread>
#include <utility>

#include "ramet/base/retry.h"
#include "ramet/base/wall_clock.h"
#include "ramet/format/bundle_files.h"
#include "ramet/format/bundle_index.h"
#include "ramet/format/table_writer.h"

namespace ramet {
namespace {

// The suffix of our temporary files. A live writer holds a lock on them.
constexpr std::string_view kOwnTemporary = ".ramet";
// A temporary file this young may still be in use without a lock. We lock ours soon after creating
// them; other programs do not lock theirs.
constexpr int64_t kOwnGraceNs = 10'000'000'000;
constexpr int64_t kForeignGraceNs = 3600 * int64_t{1'000'000'000};
constexpr std::chrono::seconds kLockWait(10);
constexpr std::chrono::milliseconds kLockPoll(2);
// How long readers of an index have to open the data files that it names while newer saves arrive,
// unless more than this many saves or bytes would have to be kept.
constexpr int64_t kReaderGraceNs = 250'000'000;
constexpr uint64_t kMaxKept = 256;
constexpr uint64_t kMaxKeptBytes = uint64_t{16} << 20;
// A smaller file is written as fast to new pages (ramet_bench ramet/checkpoint_save/existing/*).
constexpr uint64_t kMinSpareBytes = 128 << 10;
// The limit of five digits in file names.
constexpr int kMaxShards = 99999;

Status RenameToUnused(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    return OkStatus();
  }
  // Not every file system supports the flag.
  if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) {
    return FileExists(to) ? ErrnoStatus(EEXIST, to) : RenameFile(from, to);
  }
  return ErrnoStatus(errno, StrCat(from, " -> ", to));
}

// The files at a prefix before a commit.
struct Existing {
  BundleFiles files;
  // The identity of the index, if there is one.
  std::optional<FileIdentity> index;
  // The index's num_shards; 0 if it cannot be read.
  int num_shards = 0;
};

StatusOr<Existing> LookAt(const std::string& prefix) {
  Existing existing;
  RAMET_ASSIGN_OR_RETURN(existing.files, FindBundleFiles(prefix));
  StatusOr<FileIdentity> identity = GetFileIdentity(BundleIndexPath(prefix));
  if (identity.ok()) {
    existing.index = *identity;
    StatusOr<BundleIndex> index = BundleIndex::Open(prefix);
    if (index.ok()) existing.num_shards = index->header().num_shards;
  } else if (!IsNotFound(identity.status())) {
    return identity.status();
  }
  return existing;
}

// Chooses the shard count of a bundle of n new data files: one that is not in the name of any file.
// For a new prefix this is n, as in TensorFlow.
int ChooseNumShards(const Existing& existing, int n) {
  n = std::max(n, 1);
  if (!existing.index) return n;
  std::set<int> used = {existing.num_shards};
  for (const BundleDataFile& file : existing.files.data) used.insert(file.num_shards);
  const int next = std::max(*used.rbegin() < kMaxShards ? *used.rbegin() + 1 : 1, n);
  if (next <= kMaxShards && used.count(next) == 0) return next;
  int total = n;
  while (used.count(total) > 0) ++total;
  return total;
}

// Moves data files to their final names. The destructor moves them back unless Keep() was called.
class MovedFiles {
 public:
  ~MovedFiles() {
    for (auto& [from, to] : moved_) RenameFile(to, from).IgnoreError();
  }
  Status Move(const std::string& from, const std::string& to, bool replace) {
    RAMET_RETURN_IF_ERROR(replace ? RenameFile(from, to) : RenameToUnused(from, to));
    moved_.emplace_back(from, to);
    return OkStatus();
  }
  void Keep() { moved_.clear(); }

 private:
  std::vector<std::pair<std::string, std::string>> moved_;
};

Status WriteIndex(const std::string& path, const std::map<std::string, BundleEntry>& entries,
                  const BundleHeader& header, int first_shard, TemporaryFile* temporary) {
  StatusOr<TableWriter> table = TableWriter::Create(path);
  if (!table.ok()) return table.status();
  temporary->Lock();
  RAMET_RETURN_IF_ERROR(table->Add("", EncodeBundleHeader(header)));
  for (const auto& [key, stored] : entries) {
    BundleEntry entry = stored;
    if (entry.slices.empty()) entry.shard += first_shard;
    RAMET_RETURN_IF_ERROR(table->Add(key, EncodeBundleEntry(entry)));
  }
  return table->Finish();
}

bool IsMemoryFileSystem(const std::string& path) {
  struct statfs s;
  return ::statfs(path.c_str(), &s) == 0 && (s.f_type == TMPFS_MAGIC || s.f_type == RAMFS_MAGIC);
}

// Reports whether a file has one name and belongs to this user, so that it was not linked here by
// another user.
bool IsOurs(const struct stat& s) {
  return S_ISREG(s.st_mode) && s.st_nlink == 1 && s.st_uid == ::geteuid();
}

// Renames a data file to a temporary name, under which it waits as a spare.
Status MakeSpare(const std::string& path) {
  struct stat s;
  if (::lstat(path.c_str(), &s) != 0) return ErrnoStatus(errno, path);
  if (!IsOurs(s))
    return FailedPrecondition(path, "; not a file of this user, or it has several links");
  return RenameToUnused(path, StrCat(TemporaryPath(path), kOwnTemporary));
}

// The data files of one save.
using Generation = std::vector<const BundleDataFile*>;

// Returns the saves that neither the new index nor the replaced one names, oldest first.
std::vector<Generation> OldGenerations(const Existing& existing, int new_num_shards) {
  // Numbers above the new one are from before the count wrapped around.
  std::map<std::pair<bool, int>, Generation> by_age;
  for (const BundleDataFile& file : existing.files.data) {
    if (file.num_shards == existing.num_shards || file.num_shards == new_num_shards) continue;
    by_age[{file.num_shards < new_num_shards, file.num_shards}].push_back(&file);
  }
  std::vector<Generation> generations;
  for (auto& [age, generation] : by_age) generations.push_back(std::move(generation));
  return generations;
}

// Removes data older than the replaced index, or keeps a file as a spare and sets `*retired` to
// kRemove. Newer data may belong to another program's save in progress; the next save removes it.
void Retire(const Generation& generation, const FileIdentity& replaced, Retired* retired) {
  for (const BundleDataFile* file : generation) {
    StatusOr<FileIdentity> identity = GetFileIdentity(file->path);
    if (!identity.ok() || identity->mtime_ns > replaced.mtime_ns) continue;
    const bool keep = *retired == Retired::kSpareOnMemoryFileSystem &&
                      identity->size >= kMinSpareBytes && IsMemoryFileSystem(file->path);
    if (keep && MakeSpare(file->path).ok()) {
      *retired = Retired::kRemove;
    } else {
      RemoveFile(file->path).IgnoreError();
    }
  }
}

// Returns when the save after this one wrote its data.
int64_t WrittenAt(const Generation& generation) {
  StatusOr<FileIdentity> identity = GetFileIdentity(generation.front()->path);
  return identity.ok() ? identity->mtime_ns : 0;
}

// Retires data that was replaced long enough ago, and more if there is too much of it. `bytes` is
// the size of the new data.
void RetireOldData(const Existing& existing, int new_num_shards, uint64_t bytes, Retired retired) {
  if (!existing.index || existing.num_shards == 0) return;
  const std::vector<Generation> old = OldGenerations(existing, new_num_shards);
  const size_t room = std::min(kMaxKept, kMaxKeptBytes / std::max<uint64_t>(bytes, 1));
  const int64_t now = WallClockNanos();
  for (size_t i = 0; i < old.size(); ++i) {
    const int64_t replaced_at =
        i + 1 < old.size() ? WrittenAt(old[i + 1]) : existing.index->mtime_ns;
    if (old.size() - i <= room && replaced_at > now - kReaderGraceNs) return;
    Retire(old[i], *existing.index, &retired);
  }
}

}  // namespace

std::optional<FileLock> FileLock::Try(const std::string& path, int flags) {
  StatusOr<FileDescriptor> fd = OpenOwnFile(path, flags);
  if (!fd.ok() || ::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return FileLock(*std::move(fd));
}

std::optional<FileLock> FileLock::Try(const std::string& path) { return Try(path, O_RDONLY); }
std::optional<FileLock> FileLock::TryToWrite(const std::string& path) { return Try(path, O_RDWR); }

std::optional<FileLock> FileLock::Wait(const std::string& path) {
  FileDescriptor fd(
      RetryInterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  const auto deadline = std::chrono::steady_clock::now() + kLockWait;
  while (fd.get() >= 0) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return FileLock(std::move(fd));
    if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() > deadline)
      break;
    std::this_thread::sleep_for(kLockPoll);
  }
  return std::nullopt;
}

bool FileLock::IsAlone(const std::string& path) const {
  struct stat locked, named;
  if (::fstat(fd_.get(), &locked) != 0 || ::lstat(path.c_str(), &named) != 0) return false;
  if (locked.st_ino != named.st_ino || locked.st_dev != named.st_dev || !IsOurs(named)) {
    return false;
  }
  // A write lease is granted only if nothing else has the file open. If a process opens it at this
  // moment, the kernel sends a signal: use one that is ignored by default instead of SIGIO.
  if (::fcntl(fd_.get(), F_SETSIG, SIGURG) != 0) return false;
  if (::fcntl(fd_.get(), F_SETLEASE, F_WRLCK) != 0) return false;
  return ::fcntl(fd_.get(), F_SETLEASE, F_UNLCK) == 0;
}

StatusOr<WritableFile> FileLock::Overwrite(const std::string& path) const {
  FileDescriptor fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  return WritableFile::Overwrite(path, std::move(fd));
}

StatusOr<WritableFile> TemporaryFile::Overwrite() const {
  if (!lock_) return FailedPrecondition(path_, "; the file is not locked");
  return lock_->Overwrite(path_);
}

std::optional<TemporaryFile> TemporaryFile::TakeSpare(std::span<const std::string> leftovers) {
  for (const std::string& path : leftovers) {
    // An empty file may be new and not locked yet.
    StatusOr<FileIdentity> identity = GetFileIdentity(path);
    if (!path.ends_with(kOwnTemporary) || !identity.ok() || identity->size == 0) continue;
    std::optional<FileLock> lock = FileLock::TryToWrite(path);
    if (lock && lock->IsAlone(path)) return TemporaryFile(path, std::move(*lock));
  }
  return std::nullopt;
}

TemporaryFile::TemporaryFile(std::string_view path)
    : path_(StrCat(TemporaryPath(path), kOwnTemporary)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) RemoveFile(path_).IgnoreError();
}

void RemoveSpare(const std::string& prefix) {
  StatusOr<BundleFiles> files = FindBundleFiles(prefix);
  if (!files.ok()) return;
  if (auto spare = TemporaryFile::TakeSpare(files->temporaries))
    RemoveFile(spare->path()).IgnoreError();
}

void RemoveStaleTemporaries(std::span<const std::string> leftovers) {
  const int64_t now = WallClockNanos();
  for (const std::string& path : leftovers) {
    const int64_t grace = path.ends_with(kOwnTemporary) ? kOwnGraceNs : kForeignGraceNs;
    StatusOr<FileIdentity> identity = GetFileIdentity(path);
    if (!identity.ok() || now - identity->mtime_ns < grace) continue;
    if (FileLock::Try(path)) RemoveFile(path).IgnoreError();
  }
}

Status CommitBundle(const std::string& prefix, std::span<const std::string> data_files,
                    const std::map<std::string, BundleEntry>& entries, BundleHeader header,
                    Retired retired) {
  const std::string folder(Dirname(prefix));
  const std::string index_path = BundleIndexPath(prefix);
  // One commit at a time per folder. Names are unique even on file systems without locks, because
  // data files are only moved to unused names.
  const std::optional<FileLock> lock = FileLock::Wait(folder.empty() ? "." : folder);
  RAMET_ASSIGN_OR_RETURN(const Existing existing, LookAt(prefix));
  const int n = static_cast<int>(data_files.size());
  header.num_shards = ChooseNumShards(existing, n);
  const int first_shard = header.num_shards - n;
  MovedFiles moved;
  uint64_t bytes = 0;
  for (int i = 0; i < n; ++i) {
    const std::string path = BundleDataPath(prefix, first_shard + i, header.num_shards);
    if (StatusOr<FileIdentity> data = GetFileIdentity(data_files[i]); data.ok())
      bytes += data->size;
    RAMET_RETURN_IF_ERROR(moved.Move(data_files[i], path, !existing.index));
  }
  TemporaryFile index(index_path);
  RAMET_RETURN_IF_ERROR(WriteIndex(index.path(), entries, header, first_shard, &index));
  RAMET_RETURN_IF_ERROR(SyncDir(folder));
  RAMET_RETURN_IF_ERROR(RenameFile(index.path(), index_path));
  index.Renamed();
  moved.Keep();
  RAMET_RETURN_IF_ERROR(SyncDir(folder));
  RetireOldData(existing, header.num_shards, bytes, retired);
  RemoveStaleTemporaries(existing.files.temporaries);
  return OkStatus();
}

Status MakeFolderOf(const std::string& prefix) {
  const std::string folder(Dirname(prefix));
  if (folder.empty() || IsDirectory(folder)) return OkStatus();
  Status made = CreateDir(folder);
  return IsAlreadyExists(made) ? OkStatus() : made;
}

}  // namespace ramet
