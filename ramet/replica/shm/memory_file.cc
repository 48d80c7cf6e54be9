#include "ramet/replica/shm/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/layout.h"

namespace ramet::shm {
namespace {

constexpr int kFutureWriteSeal = 0x0010;  // F_SEAL_FUTURE_WRITE, Linux 5.1
// Either of these also prevents punching holes (see fcntl(2)).
constexpr int kWriteSeals = F_SEAL_WRITE | kFutureWriteSeal;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, Linux 6.1
constexpr size_t kLargePage = size_t{2} << 20;

Status OutOfMemory(const std::string& name, size_t bytes, int error) {
  if (error != ENOSPC && error != ENOMEM && error != EFBIG) return ErrnoStatus(error, name);
  return ResourceExhausted(name, ": cannot reserve ", bytes, " bytes of shared memory");
}

// Returns an errno, or 0. Retries when interrupted by a signal.
int Resize(int fd, size_t bytes) {
  while (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

// Reserves addresses for `bytes` bytes without mapping anything there. They are aligned for large
// pages if `bytes` is large enough for one.
StatusOr<char*> ReserveAddresses(size_t bytes, const std::string& name) {
  const size_t slack = bytes >= kLargePage ? kLargePage : 0;
  void* reserved =
      mmap(nullptr, bytes + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return OutOfMemory(name, bytes, errno);
  if (slack == 0) return static_cast<char*>(reserved);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(reserved);
  const uintptr_t at = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const size_t pages_end = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (at > begin) munmap(reserved, at - begin);
  if (begin + slack > at) {
    munmap(reinterpret_cast<void*>(at + pages_end), begin + slack - at);
  }
  return reinterpret_cast<char*>(at);
}

Status MapAt(char* at, int fd, size_t bytes, int protection, int more, const std::string& name) {
  if (mmap(at, bytes, protection, MAP_SHARED | MAP_FIXED | more, fd, 0) == at) return OkStatus();
  const int error = errno;
  munmap(at, bytes);
  return OutOfMemory(name, bytes, error);
}

// Maps the file and touches all of it.
StatusOr<void*> Map(int fd, size_t bytes, int protection, const std::string& name) {
  RAMET_ASSIGN_OR_RETURN(char* at, ReserveAddresses(bytes, name));
  RAMET_RETURN_IF_ERROR(MapAt(at, fd, bytes, protection, MAP_POPULATE, name));
  return at;
}

// Backs the file with large pages as far as they are available (Linux 6.1; this works even if they
// are not the default for shared memory). Each large page needs one present page.
void TakeLargePages(int fd, size_t bytes, const std::string& name) {
  const size_t whole = bytes / kLargePage * kLargePage;
  if (whole == 0) return;
  const auto at = ReserveAddresses(whole, name);
  if (!at.ok() || !MapAt(*at, fd, whole, PROT_READ | PROT_WRITE, 0, name).ok()) return;
  bool possible = true;
  for (size_t page = 0; page < whole && possible; page += kLargePage) {
    possible = posix_fallocate(fd, static_cast<off_t>(page), kPageBytes) == 0;
  }
  if (possible) (void)madvise(*at, whole, kCollapse);
  munmap(*at, whole);
}

// Checks that the size is final. Read the size only after this.
Status CheckSeals(int fd, MemoryFile::Access access) {
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return InvalidArgument("received shared memory that could be truncated while it is read");
  }
  if (access == MemoryFile::Access::kOwnerWrites && (seals & kWriteSeals) == 0) {
    return InvalidArgument(
        "received shared memory that could get holes while it is read; a "
        "publisher seals it with F_SEAL_FUTURE_WRITE");
  }
  return OkStatus();
}

}  // namespace

StatusOr<MemoryFile> MemoryFile::Create(const std::string& name, size_t bytes, Access access) {
  FileDescriptor fd(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd.get() < 0) return ErrnoStatus(errno, StrCat("shared memory ", name));
  if (const int error = Resize(fd.get(), bytes); error != 0) return OutOfMemory(name, bytes, error);
  TakeLargePages(fd.get(), bytes, name);
  int error;
  do {
    error = posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error != 0) {
    return OutOfMemory(name, bytes, error);
  }
  RAMET_ASSIGN_OR_RETURN(void* data, Map(fd.get(), bytes, PROT_READ | PROT_WRITE, name));
  MemoryFile file(std::move(fd), data, bytes, HostAccess::kReadWrite);
  int seals = F_SEAL_SHRINK | F_SEAL_GROW;
  if (access == Access::kOwnerWrites) seals |= kFutureWriteSeal;
  if (fcntl(file.fd(), F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) {
    const std::string hint =
        errno == EINVAL ? " (F_SEAL_FUTURE_WRITE needs Linux 5.1; publish with file: or redis:)"
                        : "";
    return ErrnoStatus(errno, StrCat("sealing the shared memory ", name, hint));
  }
  return file;
}

StatusOr<MemoryFile> MemoryFile::Open(FileDescriptor fd, size_t bytes, Access access) {
  RAMET_RETURN_IF_ERROR(CheckSeals(fd.get(), access));
  struct stat status;
  if (fstat(fd.get(), &status) != 0) return ErrnoStatus(errno, "shared memory");
  if (static_cast<uint64_t>(status.st_size) != bytes || bytes == 0) {
    return InvalidArgument("received shared memory of ", status.st_size, " bytes, but ", bytes,
                           " were announced");
  }
  if (static_cast<uint64_t>(status.st_blocks) * 512 < bytes) {
    return InvalidArgument("received shared memory of ", bytes, " bytes of which only ",
                           status.st_blocks * 512, " are allocated");
  }
  const bool writes = access == Access::kAllWrite;
  const int protection = writes ? PROT_READ | PROT_WRITE : PROT_READ;
  RAMET_ASSIGN_OR_RETURN(void* data, Map(fd.get(), bytes, protection, "shared memory"));
  return MemoryFile(std::move(fd), data, bytes,
                    writes ? HostAccess::kReadWrite : HostAccess::kReadOnly);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      access_(other.access_),
      registration_(std::move(other.registration_)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(access_, other.access_);
  std::swap(registration_, other.registration_);
  return *this;
}

void MemoryFile::RegisterWith(const HostRegistrar& registrar) {
  if (registration_ != nullptr || size_ == 0) return;
  registration_ = registrar.Register({reinterpret_cast<const std::byte*>(data()), size_}, access_);
}

MemoryFile::~MemoryFile() {
  registration_.reset();
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace ramet::shm
