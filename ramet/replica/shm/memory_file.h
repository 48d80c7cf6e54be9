#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ramet/base/file.h"
#include "ramet/base/status.h"

namespace ramet::shm {

// Memory that processes share by handing on a file descriptor (memfd_create(2)), mapped here. It is
// freed when the last process that has it is gone. Moves; is not copied.
class MemoryFile {
 public:
  // What those who are given the descriptor can do with it, beside reading.
  enum class Access { kOwnerWrites, kAllWrite };

  // Memory of `bytes` bytes, all of it reserved and touched, of a size that nobody can change.
  // With kOwnerWrites only this mapping can write. `name` is what /proc shows.
  // \error kResourceExhausted if the memory is not to be had (now, not when it is touched).
  static StatusOr<MemoryFile> Create(const std::string& name, size_t bytes, Access access);
  // Maps memory that was handed to us. \error kInvalidArgument if it is not `bytes` long, has holes
  // (which whoever maps it would have to fill), or could be shortened or, with kOwnerWrites, get
  // holes later: it must be sealed before it is handed over; those of mapping.
  static StatusOr<MemoryFile> Open(FileDescriptor fd, size_t bytes, Access access);

  MemoryFile() = default;
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  ~MemoryFile();

  int fd() const { return fd_.get(); }
  size_t size() const { return size_; }
  // Keeps the mapping only: each open descriptor counts against the limit of the process.
  void CloseDescriptor() { fd_ = FileDescriptor(); }
  char* data() const { return static_cast<char*>(data_); }

 private:
  MemoryFile(FileDescriptor fd, void* data, size_t size)
      : fd_(std::move(fd)), data_(data), size_(size) {}
  FileDescriptor fd_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ramet::shm
