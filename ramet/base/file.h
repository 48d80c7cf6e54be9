#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/folder.h"
#include "ramet/base/path.h"
#include "ramet/base/status.h"

// Files of the local machine. Every error names the path ("PATH; No such file or directory") and
// has TensorFlow's code for the errno: NotFound, PermissionDenied, AlreadyExists, ResourceExhausted
// (no space, too many open files), FailedPrecondition (a folder instead of a file, a folder that is
// not empty), InvalidArgument, ... Interrupted and partial reads and writes are resumed.
namespace ramet {

// Returns the Status for an errno value. `context` is usually the path.
Status ErrnoStatus(int error, std::string_view context);

// Identifies the file at a path or an open file. It changes when the file is replaced or written.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};
// Returns the identity of the file at `path`.
// \error kNotFound: the file does not exist.
// \error any other error of stat(2).
StatusOr<FileIdentity> GetFileIdentity(const std::string& path);

// A FileDescriptor owns an open file descriptor, or none (-1), and closes it. Movable, not
// copyable.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }
  // Returns the descriptor, which the caller must close.
  int Release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_ = -1;
};

// A RandomAccessFile reads a regular file at any offset. Immutable. Thread-safe.
class RandomAccessFile {
 public:
  // Opens `path` for reading.
  // \error kNotFound, kPermissionDenied, ...: open(2) failed.
  // \error kFailedPrecondition: it is not a regular file.
  static StatusOr<RandomAccessFile> Open(const std::string& path);

  const std::string& path() const { return path_; }
  // The file's size in bytes when it was opened.
  uint64_t size() const { return identity_.size; }
  const FileIdentity& identity() const { return identity_; }

  // Fills `out` from `offset` on.
  // \error kOutOfRange: the file ends before that; `out` is then unspecified.
  Status Read(uint64_t offset, std::span<char> out) const;
  // Returns the bytes [offset, offset + n). Checks n against the file's size before allocating.
  // \error kOutOfRange: the file ends before that.
  StatusOr<std::string> Read(uint64_t offset, uint64_t n) const;
  // Advises the kernel that [offset, offset + n) will be read soon.
  void Prefetch(uint64_t offset, uint64_t n) const;

 private:
  RandomAccessFile(std::string path, FileDescriptor fd, FileIdentity identity)
      : path_(std::move(path)), fd_(std::move(fd)), identity_(identity) {}
  std::string path_;
  FileDescriptor fd_;
  FileIdentity identity_;
};

// A WritableFile appends to a new file. It buffers small writes and passes large ones on. Not
// thread-safe. After an error every later call returns that error. After Close, calls that write
// fail with kFailedPrecondition. Without Close, the last bytes may be lost.
class WritableFile {
 public:
  // Creates the file, or truncates an existing one.
  // \error kNotFound: its folder does not exist.
  // \error any other error of open(2).
  static StatusOr<WritableFile> Create(const std::string& path);
  // Creates a file that must not exist yet.
  // \error kAlreadyExists: something has that name, possibly a link.
  // \error any other error of open(2).
  static StatusOr<WritableFile> CreateNew(const std::string& path);
  // Overwrites an open file from its start, in the disk space that it already has. Sync or Close
  // truncates what remains of the old content.
  static WritableFile Overwrite(std::string path, FileDescriptor fd);

  const std::string& path() const { return path_; }
  // Bytes appended so far.
  uint64_t size() const { return size_; }

  Status Append(std::string_view data);
  // Passes buffered data to the kernel.
  Status Flush();
  // Flushes, then waits until the data is on disk.
  Status Sync();
  // Flushes and closes. Idempotent.
  Status Close();

 private:
  WritableFile(std::string path, FileDescriptor fd);
  Status Write(std::string_view data);
  void CutOff();
  std::string path_;
  FileDescriptor fd_;
  std::string buffer_;
  uint64_t size_ = 0;
  bool longer_ = false;  // the file may have old bytes after the written ones
  Status status_;
};

// Returns the content of a file.
// \error kResourceExhausted: it is longer than `max_bytes`.
// \error any error of open(2) or read(2).
StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes = uint64_t{1} << 31);

// ReadFile for files of unknown origin: does not block on a named pipe or a device.
// \error kFailedPrecondition: it is not a regular file.
// \error as ReadFile.
StatusOr<std::string> ReadRegularFile(const std::string& path,
                                      uint64_t max_bytes = uint64_t{1} << 31);
// Opens a regular file with open(2)'s `flags`, to be locked or overwritten. Does not follow links,
// which may lead to an unrelated file.
// \error kInvalidArgument: it is a link.
// \error kFailedPrecondition: it is not a regular file.
// \error kNotFound, ...: open(2) failed.
StatusOr<FileDescriptor> OpenOwnFile(const std::string& path, int flags);

// Replaces `path` with a file of this content. A reader sees the old file or the new one, never a
// mix, even after a crash. Writes to TemporaryPath(path), syncs, renames, and syncs the folder.
// After an error the old file remains and the temporary one is removed.
Status AtomicWriteFile(const std::string& path, std::string_view content);

// Waits until renames and new files in the folder are on disk.
Status SyncDir(const std::string& path);

}  // namespace ramet
