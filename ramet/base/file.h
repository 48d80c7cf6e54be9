#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

// Files of the local machine. Every error names the path ("PATH; No such file or directory") and
// carries TensorFlow's code for the errno: NotFound, PermissionDenied, AlreadyExists,
// ResourceExhausted (no space, too many open files), FailedPrecondition (a folder where a file is
// needed, a folder that is not empty), InvalidArgument, ... Interrupted and short reads and writes
// are taken up again.
namespace ramet {

// The Status of an errno value. `context` is usually the path.
Status ErrnoStatus(int error, std::string_view context);

// What a path or an open file is: it changes when the file is replaced or written.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};
// \error of stat: kNotFound if there is no such file.
StatusOr<FileIdentity> GetFileIdentity(const std::string& path);

// A file descriptor that is closed with its owner. -1: none. Moves; is not copied.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }
  int Release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_ = -1;
};

// A RandomAccessFile reads a regular file at any offset. Immutable once open; several threads may
// read at once.
class RandomAccessFile {
 public:
  // \error kNotFound, kPermissionDenied, ...; kFailedPrecondition if it is no regular file.
  static StatusOr<RandomAccessFile> Open(const std::string& path);

  const std::string& path() const { return path_; }
  // Bytes when it was opened.
  uint64_t size() const { return identity_.size; }
  const FileIdentity& identity() const { return identity_; }

  // Fills `out` from `offset` on.
  // \error kOutOfRange if the file ends before; then `out` is unspecified.
  Status Read(uint64_t offset, std::span<char> out) const;
  // The bytes [offset, offset + n), n checked against the file's size before memory is taken.
  // \error kOutOfRange as above.
  StatusOr<std::string> Read(uint64_t offset, uint64_t n) const;
  // Tells the kernel that [offset, offset + n) is wanted soon. A hint.
  void Prefetch(uint64_t offset, uint64_t n) const;

 private:
  RandomAccessFile(std::string path, FileDescriptor fd, FileIdentity identity)
      : path_(std::move(path)), fd_(std::move(fd)), identity_(identity) {}
  std::string path_;
  FileDescriptor fd_;
  FileIdentity identity_;
};

// A WritableFile appends to a new file. Small pieces are gathered in a buffer, big ones go straight
// to the file. One thread at a time. After an error every later call returns that error. A
// WritableFile that is destroyed without Close may lack its last bytes.
class WritableFile {
 public:
  // Makes the file, or empties the one that is there. \error kNotFound if its folder is not there,
  // ...
  static StatusOr<WritableFile> Create(const std::string& path);
  // Makes a file that is not there yet. \error kAlreadyExists if anything has that name already, a
  // link too; ...
  static StatusOr<WritableFile> CreateNew(const std::string& path);
  // Writes over an open file from its beginning on, into the space that it has already, and cuts
  // off at Sync or Close what is left of it.
  static WritableFile Overwrite(std::string path, FileDescriptor fd);

  const std::string& path() const { return path_; }
  // Bytes appended so far.
  uint64_t size() const { return size_; }

  Status Append(std::string_view data);
  // Hands what is buffered to the kernel.
  Status Flush();
  // Flush, then wait until the bytes are on the disk.
  Status Sync();
  // Flush and close. Idempotent.
  Status Close();

 private:
  WritableFile(std::string path, FileDescriptor fd);
  Status Write(std::string_view data);
  void CutOff();
  std::string path_;
  FileDescriptor fd_;
  std::string buffer_;
  uint64_t size_ = 0;
  bool longer_ = false;  // the file may have old bytes behind those that were written
  Status status_;
};

// The whole file. \error kResourceExhausted if it is longer than `max_bytes`; those of open and
// read.
StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes = uint64_t{1} << 31);

// ReadFile for files that others may have put there: a named pipe or a device is not waited for.
// \error kFailedPrecondition if it is not a regular file; as ReadFile.
StatusOr<std::string> ReadRegularFile(const std::string& path,
                                      uint64_t max_bytes = uint64_t{1} << 31);
// Opens a regular file by open(2)'s `flags`, to be locked or written over. Links are not followed:
// another file may be behind them. \error kInvalidArgument for a link; kFailedPrecondition if it is
// not a regular file; kNotFound, ...
StatusOr<FileDescriptor> OpenOwnFile(const std::string& path, int flags);

// Replaces `path` by a file with this content: a reader sees the old file or the new one, never a
// mix, also after a crash. The file is written beside it under TemporaryPath(path), synced,
// renamed; the folder is synced. On an error the old file stays and the temporary one is removed.
Status AtomicWriteFile(const std::string& path, std::string_view content);

// "PATH.tempstate<random number>", a name for the file that will be renamed to PATH.
std::string TemporaryPath(std::string_view path);

// \error kInvalidArgument if the path holds a NUL byte (the kernel would take another file); all
// functions of this file check it.
Status CheckPath(const std::string& path);
bool FileExists(const std::string& path);
bool IsDirectory(const std::string& path);
Status RemoveFile(const std::string& path);
// An empty folder. \error kFailedPrecondition if it is not empty.
Status RemoveDir(const std::string& path);
// Replaces `to` in one step.
Status RenameFile(const std::string& from, const std::string& to);
// Waits until renames and new files in the folder are on the disk.
Status SyncDir(const std::string& path);
// One level. \error kAlreadyExists if there is something of that name; kNotFound if the parent is
// missing.
Status CreateDir(const std::string& path);
// All levels that are missing; a folder that is there already is fine.
Status CreateDirs(const std::string& path);
// Names (not paths) of what is in the folder, sorted, without "." and "..".
StatusOr<std::vector<std::string>> ListDir(const std::string& path);
// The paths that match a shell pattern (*, ?, [a-z], backslash escapes), sorted; none is no error.
// A leading '.' of a name is matched by '.' alone.
StatusOr<std::vector<std::string>> Glob(const std::string& pattern);

// Path text, as Python's os.path does it: Basename("a/b") is "b", Basename("a/") is "",
// Dirname("a/b") is "a", Dirname("b") is "", Dirname("/b") is "/". JoinPath puts one '/' between
// the parts; an absolute second part stands alone, an empty first part adds nothing.
std::string_view Basename(std::string_view path);
std::string_view Dirname(std::string_view path);
std::string JoinPath(std::string_view a, std::string_view b);
inline bool IsAbsolutePath(std::string_view path) { return path.starts_with('/'); }

}  // namespace ramet
