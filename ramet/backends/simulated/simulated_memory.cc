#include "ramet/backends/simulated/simulated_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace ramet {
namespace {

class DeviceBuffer final : public Buffer {
 public:
  DeviceBuffer(char* data, size_t size, SimulatedMemory* memory, size_t offset, size_t block)
      : Buffer(data, size, memory), memory_(memory), offset_(offset), block_(block) {}

 private:
  void Dispose() override {
    memory_->Free(offset_, block_);
    delete this;
  }
  SimulatedMemory* memory_;
  size_t offset_;
  size_t block_;
};

class ViewBuffer final : public Buffer {
 public:
  ViewBuffer(char* data, BufferPtr base)
      : Buffer(data, base->size(), nullptr, false, base.get()), owned_base_(std::move(base)) {}

 private:
  void Dispose() override { delete this; }
  BufferPtr owned_base_;
};

size_t BlockSize(size_t bytes) { return std::bit_ceil(std::max<size_t>(bytes, 256)); }

}  // namespace

Status SimulatedMemory::Reserve() {
  if (guarded_ != nullptr) return OkStatus();
  const int fd = memfd_create("ramet-simulated", MFD_CLOEXEC);
  void* guarded = MAP_FAILED;
  void* open = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes_)) == 0) {
    guarded = mmap(nullptr, bytes_, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    open = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  if (guarded == MAP_FAILED || open == MAP_FAILED) {
    if (guarded != MAP_FAILED) munmap(guarded, bytes_);
    if (open != MAP_FAILED) munmap(open, bytes_);
    return ResourceExhausted("the simulated accelerator could not reserve ", 2 * bytes_,
                             " bytes of address space: ", std::strerror(error),
                             "; raise the limit (ulimit -v) or place nothing on it");
  }
  guarded_ = static_cast<char*>(guarded);
  open_ = static_cast<char*>(open);
  return OkStatus();
}

SimulatedMemory::~SimulatedMemory() {
  if (guarded_ == nullptr) return;
  munmap(guarded_, bytes_);
  munmap(open_, bytes_);
}

StatusOr<BufferPtr> SimulatedMemory::Allocate(size_t bytes) {
  if (bytes > bytes_) {
    return ResourceExhausted("out of memory on the simulated accelerator: ", bytes,
                             " bytes were requested, but it has only ", bytes_);
  }
  const size_t block = BlockSize(bytes);
  MutexLock lock(mutex_);
  RAMET_RETURN_IF_ERROR(Reserve());
  auto& list = free_[block];
  size_t offset = used_;
  if (!list.empty()) {
    offset = list.back();
    list.pop_back();
  } else if (block > bytes_ - used_) {
    return ResourceExhausted("out of memory on the simulated accelerator: ", bytes,
                             " bytes were requested, but ", used_, " of ", bytes_, " are in use");
  } else {
    used_ += block;
  }
  return BufferPtr::Adopt(new DeviceBuffer(guarded_ + offset, bytes, this, offset, block));
}

void SimulatedMemory::Free(size_t offset, size_t bytes) {
  MutexLock lock(mutex_);
  free_[bytes].push_back(offset);
}

StatusOr<BufferPtr> SimulatedMemory::AllocateView(size_t bytes) {
  RAMET_ASSIGN_OR_RETURN(BufferPtr base, Allocate(bytes));
  char* data = open_ + (static_cast<char*>(base->data()) - guarded_);
  return BufferPtr::Adopt(new ViewBuffer(data, std::move(base)));
}

Tensor SimulatedMemory::View(const Tensor& device_tensor) const {
  if (device_tensor.empty() || device_tensor.host_accessible()) return device_tensor;
  char* data = open_ + (static_cast<char*>(device_tensor.raw_data()) - guarded_);
  return Tensor(device_tensor.dtype(), device_tensor.shape(),
                BufferPtr::Adopt(new ViewBuffer(data, device_tensor.buffer())));
}

Tensor SimulatedMemory::Unview(const Tensor& view) const {
  if (view.empty() || view.buffer()->base() == nullptr) return view;
  return Tensor(view.dtype(), view.shape(), BufferPtr::Share(view.buffer()->base()));
}

}  // namespace ramet
