#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/device/host_registrar.h"

namespace ramet::shm {

// Memory that processes share by passing a file descriptor (memfd_create(2)), mapped into this
// process. It is freed when the last process releases it. Movable, not copyable.
class MemoryFile {
 public:
  // Rights of the receivers of the descriptor: only reading, or also writing.
  enum class Access { kOwnerWrites, kAllWrite };

  // Creates shared memory of `bytes` bytes. All of it is reserved and touched. Its size cannot
  // change. With kOwnerWrites only this mapping can write. `name` appears in /proc.
  // \error kResourceExhausted: the memory cannot be reserved. Touching it later cannot fail.
  static StatusOr<MemoryFile> Create(const std::string& name, size_t bytes, Access access);
  // Maps memory received from another process.
  // \error kInvalidArgument: the memory is not `bytes` long, has holes (which this process would
  //   have to fill), or is not sealed against truncation and, with kOwnerWrites, against holes.
  // \error as for mmap(2).
  static StatusOr<MemoryFile> Open(FileDescriptor fd, size_t bytes, Access access);

  MemoryFile() = default;
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  ~MemoryFile();

  int fd() const { return fd_.get(); }
  size_t size() const { return size_; }
  // Closes the descriptor but keeps the mapping. Open descriptors count against the process's
  // limit.
  void CloseDescriptor() { fd_ = FileDescriptor(); }
  char* data() const { return static_cast<char*>(data_); }
  // Registers the memory with the driver of a device until it is unmapped, so that the driver
  // copies directly. Does nothing if a driver has registered it. Not thread-safe.
  void RegisterWith(const HostRegistrar& registrar);

 private:
  MemoryFile(FileDescriptor fd, void* data, size_t size, HostAccess access)
      : fd_(std::move(fd)), data_(data), size_(size), access_(access) {}
  FileDescriptor fd_;
  void* data_ = nullptr;
  size_t size_ = 0;
  HostAccess access_ = HostAccess::kReadOnly;  // of this mapping
  std::unique_ptr<HostRegistration> registration_;
};

}  // namespace ramet::shm
