#include "ramet/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "ramet/base/retry.h"

namespace ramet {
namespace {

constexpr size_t kBufferBytes = 256 << 10;
// Linux transfers at most this much in one call.
constexpr size_t kMaxTransfer = 0x7ffff000;

Code CodeOfErrno(int error) {
  switch (error) {
    case 0: return Code::kOk;
    case EINVAL:
    case ENAMETOOLONG:
    case EILSEQ:
    case ESPIPE:
    case ELOOP: return Code::kInvalidArgument;
    case ETIMEDOUT: return Code::kDeadlineExceeded;
    case ENOENT:
    case ENODEV:
    case ENXIO: return Code::kNotFound;
    case EEXIST: return Code::kAlreadyExists;
    case EPERM:
    case EACCES:
    case EROFS: return Code::kPermissionDenied;
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
    case EBADF:
    case EBUSY:
    case EPIPE:
    case ETXTBSY:
    case EXDEV: return Code::kFailedPrecondition;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case EMLINK:
    case ENOMEM: return Code::kResourceExhausted;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE: return Code::kOutOfRange;
    case ENOSYS:
    case ENOTSUP: return Code::kUnimplemented;
    case EAGAIN:
    case EINTR: return Code::kUnavailable;
    case ESTALE:
    case EDEADLK: return Code::kAborted;
    default: return Code::kUnknown;
  }
}

StatusOr<FileDescriptor> OpenFile(const std::string& path, int flags) {
  RAMET_RETURN_IF_ERROR(CheckPath(path));
  const int fd = RetryInterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (fd < 0) return ErrnoStatus(errno, path);
  return FileDescriptor(fd);
}

FileIdentity IdentityOf(const struct stat& s) {
  return {s.st_dev, s.st_ino, static_cast<uint64_t>(s.st_size),
          int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec};
}

Status SyncFd(int fd, const std::string& path) {
  return RetryInterrupted([&] { return ::fsync(fd); }) == 0 ? OkStatus() : ErrnoStatus(errno, path);
}

}  // namespace

Status ErrnoStatus(int error, std::string_view context) {
  return Status(CodeOfErrno(error), StrCat(context, "; ", std::generic_category().message(error)));
}

StatusOr<FileIdentity> GetFileIdentity(const std::string& path) {
  RAMET_RETURN_IF_ERROR(CheckPath(path));
  struct stat s;
  if (::stat(path.c_str(), &s) != 0) return ErrnoStatus(errno, path);
  return IdentityOf(s);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

StatusOr<RandomAccessFile> RandomAccessFile::Open(const std::string& path) {
  // O_NONBLOCK: a named pipe must be refused without blocking.
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenFile(path, O_RDONLY | O_NONBLOCK));
  struct stat s;
  if (::fstat(fd.get(), &s) != 0) return ErrnoStatus(errno, path);
  if (S_ISDIR(s.st_mode)) return ErrnoStatus(EISDIR, path);
  if (!S_ISREG(s.st_mode)) return FailedPrecondition(path, "; not a regular file");
  return RandomAccessFile(path, std::move(fd), IdentityOf(s));
}

Status RandomAccessFile::Read(uint64_t offset, std::span<char> out) const {
  if (offset > uint64_t{INT64_MAX} - out.size()) {
    return OutOfRange(path_, "; offset ", offset, " + ", out.size(),
                      " bytes is past any file's end");
  }
  for (size_t done = 0; done < out.size();) {
    size_t want = std::min(out.size() - done, kMaxTransfer);
    const ssize_t n = RetryInterrupted([&] {
      return ::pread(fd_.get(), out.data() + done, want, static_cast<off_t>(offset + done));
    });
    if (n < 0) return ErrnoStatus(errno, path_);
    if (n == 0) {
      return OutOfRange(path_, "; Read less bytes than requested: wanted ", out.size(),
                        " at offset ", offset, ", the file ends after ", done, " of them");
    }
    done += static_cast<size_t>(n);
  }
  return OkStatus();
}

StatusOr<std::string> RandomAccessFile::Read(uint64_t offset, uint64_t n) const {
  if (offset > size() || n > size() - offset) {
    return OutOfRange(path_, "; Read less bytes than requested: wanted ", n, " at offset ", offset,
                      ", the file has ", size());
  }
  std::string bytes(n, '\0');
  RAMET_RETURN_IF_ERROR(Read(offset, std::span<char>(bytes)));
  return bytes;
}

void RandomAccessFile::Prefetch(uint64_t offset, uint64_t n) const {
  if (offset >= size()) return;
  n = std::min(n, size() - offset);
  (void)::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(n),
                        POSIX_FADV_WILLNEED);
}

WritableFile::WritableFile(std::string path, FileDescriptor fd)
    : path_(std::move(path)), fd_(std::move(fd)) {
  buffer_.reserve(kBufferBytes);
}

StatusOr<WritableFile> WritableFile::Create(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC));
  return WritableFile(path, std::move(fd));
}

StatusOr<WritableFile> WritableFile::CreateNew(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd,
                         OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW));
  return WritableFile(path, std::move(fd));
}

WritableFile WritableFile::Overwrite(std::string path, FileDescriptor fd) {
  (void)::lseek(fd.get(), 0, SEEK_SET);
  WritableFile file(std::move(path), std::move(fd));
  file.longer_ = true;
  return file;
}

Status WritableFile::Write(std::string_view data) {
  if (status_.ok() && fd_.get() < 0) status_ = FailedPrecondition(path_, "; the file is closed");
  while (status_.ok() && !data.empty()) {
    const ssize_t n = RetryInterrupted(
        [&] { return ::write(fd_.get(), data.data(), std::min(data.size(), kMaxTransfer)); });
    if (n < 0) {
      status_ = ErrnoStatus(errno, path_);
    } else {
      data.remove_prefix(static_cast<size_t>(n));
    }
  }
  return status_;
}

Status WritableFile::Append(std::string_view data) {
  size_ += data.size();
  if (fd_.get() >= 0 && buffer_.size() + data.size() <= kBufferBytes) {
    buffer_.append(data);
    return status_;
  }
  RAMET_RETURN_IF_ERROR(Flush());
  if (data.size() >= kBufferBytes || fd_.get() < 0) return Write(data);
  buffer_.append(data);
  return OkStatus();
}

Status WritableFile::Flush() {
  if (buffer_.empty()) return status_;
  Status status = Write(buffer_);
  buffer_.clear();
  return status;
}

void WritableFile::CutOff() {
  if (!std::exchange(longer_, false) || !status_.ok() || fd_.get() < 0) return;
  if (::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) status_ = ErrnoStatus(errno, path_);
}

Status WritableFile::Sync() {
  RAMET_RETURN_IF_ERROR(Flush());
  CutOff();
  RAMET_RETURN_IF_ERROR(status_);
  if (fd_.get() < 0) return Write("");
  if (Status synced = SyncFd(fd_.get(), path_); !synced.ok()) status_ = synced;
  return status_;
}

Status WritableFile::Close() {
  Flush().IgnoreError();
  CutOff();
  int fd = fd_.Release();
  // close() releases the descriptor even if it is interrupted.
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR) status_.Update(ErrnoStatus(errno, path_));
  return status_;
}

StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenFile(path, O_RDONLY));
  struct stat s;
  if (::fstat(fd.get(), &s) != 0) return ErrnoStatus(errno, path);
  auto too_long = [&] {
    return ResourceExhausted(path, "; the file is longer than the limit of ", max_bytes, " bytes");
  };
  uint64_t expected = S_ISREG(s.st_mode) ? static_cast<uint64_t>(s.st_size) : 0;
  if (expected > max_bytes) return too_long();
  // One byte more than expected, to detect the end. Pipes and files under /proc report a size of 0.
  std::string content;
  for (size_t done = 0;;) {
    if (done == content.size()) content.resize(std::max<size_t>({expected + 1, 2 * done, 4096}));
    const size_t want = std::min(content.size() - done, kMaxTransfer);
    const ssize_t n =
        RetryInterrupted([&] { return ::read(fd.get(), content.data() + done, want); });
    if (n < 0) return ErrnoStatus(errno, path);
    done += static_cast<size_t>(n);
    if (done > max_bytes) return too_long();
    if (n > 0) continue;
    content.resize(done);
    return content;
  }
}

StatusOr<std::string> ReadRegularFile(const std::string& path, uint64_t max_bytes) {
  RAMET_ASSIGN_OR_RETURN(const RandomAccessFile file, RandomAccessFile::Open(path));
  if (file.size() <= max_bytes) return file.Read(0, file.size());
  return ResourceExhausted(path, "; the file has ", file.size(), " bytes, more than the limit of ",
                           max_bytes, " bytes");
}

StatusOr<FileDescriptor> OpenOwnFile(const std::string& path, int flags) {
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenFile(path, flags | O_NOFOLLOW | O_NONBLOCK));
  struct stat s;
  if (::fstat(fd.get(), &s) != 0) return ErrnoStatus(errno, path);
  if (!S_ISREG(s.st_mode)) return FailedPrecondition(path, "; not a regular file");
  return fd;
}

namespace {
Status WriteSynced(const std::string& path, std::string_view content) {
  RAMET_ASSIGN_OR_RETURN(WritableFile file, WritableFile::CreateNew(path));
  RAMET_RETURN_IF_ERROR(file.Append(content));
  RAMET_RETURN_IF_ERROR(file.Sync());
  return file.Close();
}
}  // namespace

Status AtomicWriteFile(const std::string& path, std::string_view content) {
  std::string temporary = TemporaryPath(path);
  Status status = WriteSynced(temporary, content);
  if (status.ok()) status = RenameFile(temporary, path);
  if (!status.ok()) {
    RemoveFile(temporary).IgnoreError();
    return status.WithContext(StrCat("writing '", path, "'"));
  }
  return SyncDir(std::string(Dirname(path)));
}

Status SyncDir(const std::string& path) {
  const std::string folder = path.empty() ? "." : path;
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenFile(folder, O_RDONLY | O_DIRECTORY));
  Status status = SyncFd(fd.get(), folder);
  // Some file systems cannot sync a folder and return EINVAL.
  return IsInvalidArgument(status) ? OkStatus() : status;
}

}  // namespace ramet
