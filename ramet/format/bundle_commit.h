#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/format/bundle_format.h"

// Commits checkpoints: atomically turns temporary files into a bundle that readers find, and cleans
// up afterwards (docs/formats/checkpoint-v2.md, "Overwriting").
namespace ramet {

// An advisory lock (flock) on a file or folder. Released by the destructor and when the process
// dies.
class FileLock {
 public:
  // Locks a regular file. Returns nothing if another process holds the lock, the path does not
  // exist or is not a regular file, or the file system does not have locks.
  static std::optional<FileLock> Try(const std::string& path);
  // Locks a regular file that will be overwritten. Returns nothing in the same cases as Try.
  static std::optional<FileLock> TryToWrite(const std::string& path);
  // Locks `path`. Returns nothing if it is not free within 10 seconds or cannot be opened.
  static std::optional<FileLock> Wait(const std::string& path);
  // Reports whether the locked file can be overwritten unnoticed: `path` still names it, it belongs
  // to this user, has no other link, and nothing else has it open. False if that cannot be
  // determined.
  bool IsAlone(const std::string& path) const;
  // Opens the locked file for overwriting. Only after TryToWrite.
  StatusOr<WritableFile> Overwrite(const std::string& path) const;

 private:
  explicit FileLock(FileDescriptor fd) : fd_(std::move(fd)) {}
  static std::optional<FileLock> Try(const std::string& path, int flags);
  FileDescriptor fd_;
};

// A TemporaryFile is a file next to its final path. It is locked, so that no process mistakes it
// for a leftover. The destructor removes it unless it was renamed.
class TemporaryFile {
 public:
  // Chooses an unused name next to `path`.
  explicit TemporaryFile(std::string_view path);
  // Takes one of `leftovers` (BundleFiles::temporaries) that no process can be reading, to be
  // overwritten: a retired data file (CommitBundle), or the data file of a save that died.
  static std::optional<TemporaryFile> TakeSpare(std::span<const std::string> leftovers);
  TemporaryFile(TemporaryFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();
  const std::string& path() const { return path_; }
  // Opens a file returned by TakeSpare for overwriting, even if its name has been reused.
  StatusOr<WritableFile> Overwrite() const;
  // Marks the file as renamed to its final path, so that it is not removed.
  void Renamed() { path_.clear(); }
  // Locks the file. Call it once the file exists.
  void Lock() { lock_ = FileLock::Try(path_); }

 private:
  TemporaryFile(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  std::optional<FileLock> lock_;
};

// Removes the temporary files of saves that died. Keeps files that a live writer has locked.
void RemoveStaleTemporaries(std::span<const std::string> leftovers);

// Decides what happens to the data file of a checkpoint that is overwritten.
enum class Retired { kRemove, kSpareOnMemoryFileSystem };

// Commits the bundle `prefix`. It consists of the complete, synced `data_files`, which are renamed,
// and of `entries`, whose shards are indexes in `data_files`. `header` is the index's header except
// for num_shards. Renaming the index replaces an old bundle atomically. An old data file that no
// reader needs is removed. On a memory file system it may stay as a spare, whose pages the next
// save overwrites (TakeSpare).
// \error any error of the files. The data files then have their previous names and the old bundle
//   is unchanged, unless only the final sync of the folder failed.
Status CommitBundle(const std::string& prefix, std::span<const std::string> data_files,
                    const std::map<std::string, BundleEntry>& entries, BundleHeader header,
                    Retired retired = Retired::kRemove);

// Removes the spare of `prefix`, if there is one.
void RemoveSpare(const std::string& prefix);

// Creates the folder of `prefix` if it is missing, but not its parent.
// \error kNotFound: the parent is missing.
Status MakeFolderOf(const std::string& prefix);

}  // namespace ramet
