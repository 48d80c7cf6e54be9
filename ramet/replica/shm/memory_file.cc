#include "ramet/replica/shm/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "ramet/base/strings.h"

namespace ramet::shm {
namespace {

constexpr int kFutureWriteSeal = 0x0010;  // F_SEAL_FUTURE_WRITE, Linux 5.1

Status OutOfMemory(const std::string& name, size_t bytes, int error) {
  if (error != ENOSPC && error != ENOMEM && error != EFBIG) return ErrnoStatus(error, name);
  return ResourceExhausted(name, ": ", bytes, " bytes of shared memory are not to be had");
}

StatusOr<void*> Map(int fd, size_t bytes, int protection, const std::string& name) {
  void* data = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (data == MAP_FAILED) return OutOfMemory(name, bytes, errno);
  return data;
}

}  // namespace

StatusOr<MemoryFile> MemoryFile::Create(const std::string& name, size_t bytes, Access access) {
  FileDescriptor fd(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd.get() < 0) return ErrnoStatus(errno, StrCat("shared memory ", name));
  if (const int error = posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes)); error != 0) {
    return OutOfMemory(name, bytes, error);
  }
  RAMET_ASSIGN_OR_RETURN(void* data, Map(fd.get(), bytes, PROT_READ | PROT_WRITE, name));
  MemoryFile file(std::move(fd), data, bytes);
  int seals = F_SEAL_SHRINK | F_SEAL_GROW;
  if (access == Access::kOwnerWrites) seals |= kFutureWriteSeal;
  if (fcntl(file.fd(), F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) {
    return ErrnoStatus(errno, StrCat("sealing the shared memory ", name));
  }
  return file;
}

StatusOr<MemoryFile> MemoryFile::Open(FileDescriptor fd, size_t bytes, Access access) {
  struct stat status;
  if (fstat(fd.get(), &status) != 0) return ErrnoStatus(errno, "shared memory");
  if (static_cast<uint64_t>(status.st_size) != bytes || bytes == 0) {
    return InvalidArgument("shared memory of ", status.st_size, " bytes was handed over where ",
                           bytes, " were announced");
  }
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return InvalidArgument("shared memory was handed over that could be cut off while it is read");
  }
  const int protection = access == Access::kAllWrite ? PROT_READ | PROT_WRITE : PROT_READ;
  RAMET_ASSIGN_OR_RETURN(void* data, Map(fd.get(), bytes, protection, "shared memory"));
  return MemoryFile(std::move(fd), data, bytes);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MemoryFile::~MemoryFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace ramet::shm
