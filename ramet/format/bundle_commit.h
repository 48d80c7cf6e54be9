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

// How a checkpoint gets its names: the atomic step from files that were written aside to a bundle
// that readers find, and the cleaning up after it (docs/formats/checkpoint-v2.md, "Overwriting").
namespace ramet {

// An advisory lock (flock) on a file or folder, which goes with its holder, also when that is
// killed.
class FileLock {
 public:
  // Locks a regular file. No lock if somebody else holds it, there is no such path, it is a link or
  // something else, or the file system knows no locks.
  static std::optional<FileLock> Try(const std::string& path);
  // Likewise, of a file that is to be written over.
  static std::optional<FileLock> TryToWrite(const std::string& path);
  // Waits for a few seconds at most.
  static std::optional<FileLock> Wait(const std::string& path);
  // Reports whether `path` is still the file that is locked, this user's, no other name leads to
  // it, and nobody else has it open: then it can be written over unseen. False where the system
  // does not tell.
  bool IsAlone(const std::string& path) const;
  // The locked file, to be written over. Of TryToWrite alone.
  StatusOr<WritableFile> Overwrite(const std::string& path) const;

 private:
  explicit FileLock(FileDescriptor fd) : fd_(std::move(fd)) {}
  static std::optional<FileLock> Try(const std::string& path, int flags);
  FileDescriptor fd_;
};

// A file that is written aside: it has a name of its own beside its place, is locked, so that
// nobody takes it for a leftover, and is removed with this object unless it was renamed.
class TemporaryFile {
 public:
  // A name beside `path` that is not in use.
  explicit TemporaryFile(std::string_view path);
  // One of `leftovers` (BundleFiles::temporaries) that nobody can be looking at, to be written
  // over: a data file that was retired (CommitBundle), or that of a save that died.
  static std::optional<TemporaryFile> TakeSpare(std::span<const std::string> leftovers);
  TemporaryFile(TemporaryFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();
  const std::string& path() const { return path_; }
  // For one that TakeSpare gave: the file that it found, whatever has its name by now.
  StatusOr<WritableFile> Overwrite() const;
  // It has its place now: nothing is left to remove.
  void Renamed() { path_.clear(); }
  // Once the file is there.
  void Lock() { lock_ = FileLock::Try(path_); }

 private:
  TemporaryFile(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  std::optional<FileLock> lock_;
};

// Removes those temporary files that saves left that died. Those that a live writer holds stay.
void RemoveStaleTemporaries(std::span<const std::string> leftovers);

// What becomes of the data file that an overwrite leaves behind.
enum class Retired { kRemove, kSpareOnMemoryFileSystem };

// Makes the bundle `prefix` of complete, synced data files, which are renamed to their places, and
// of `entries`, whose shards are positions in `data_files`. `header` is that of the index but for
// num_shards. Whatever was at `prefix` is replaced in one step, the rename of the index. A data
// file that no reader needs any more is removed; on a memory file system it may stay as a spare,
// whose pages the next save writes over (TakeSpare). \error of the files: then the data files are
// back where they were and the old bundle is untouched,
//   except when the very last sync of the folder failed.
Status CommitBundle(const std::string& prefix, std::span<const std::string> data_files,
                    const std::map<std::string, BundleEntry>& entries, BundleHeader header,
                    Retired retired = Retired::kRemove);

// Removes the spare of `prefix`, if there is one.
void RemoveSpare(const std::string& prefix);

// Makes the folder of `prefix` if it is missing, one level. \error kNotFound if its parent is
// missing.
Status MakeFolderOf(const std::string& prefix);

}  // namespace ramet
