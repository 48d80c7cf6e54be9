#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// A Buffer is a reference-counted block of memory: the bytes of a tensor. The count is atomic; the
// bytes are not guarded. A buffer that more than one owner holds is read-only by convention:
// whoever wants to write asks unique() first, or takes a fresh one.
class RAMET_EXPORT Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  size_t size() const { return size_; }
  // Whether the host may touch data(). Memory of an accelerator faults.
  bool host_accessible() const { return host_accessible_; }
  // Whether one owner alone holds it, who may then write. Never so for borrowed memory.
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1 && !borrowed(); }
  // Whether the memory belongs to somebody outside who may write to it later (a caller's array):
  // good for the run that it was handed to; whoever keeps a value longer copies it.
  bool borrowed() const { return borrowed_.load(std::memory_order_relaxed); }
  // From now on nobody may write to it, not even the last owner. For an owner: whoever holds it
  // alone afterwards sees it.
  void MakeBorrowed() { borrowed_.store(true, std::memory_order_relaxed); }
  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Dispose();
  }
  // The buffer whose memory this one shows in another place, or nullptr.
  virtual Buffer* base() const { return nullptr; }

 protected:
  Buffer(void* data, size_t size, bool host_accessible, bool borrowed = false)
      : data_(data), size_(size), host_accessible_(host_accessible), borrowed_(borrowed) {}
  virtual ~Buffer() = default;
  // Called when the last reference is gone: frees the buffer or keeps it for the next allocation,
  // which must begin with Reset().
  virtual void Dispose() = 0;
  void Reset(size_t size) {
    size_ = size;
    refs_.store(1, std::memory_order_relaxed);
  }

 private:
  void* data_;
  size_t size_;
  std::atomic<int32_t> refs_{1};
  bool host_accessible_;
  std::atomic<bool> borrowed_;
};

// A BufferPtr owns one reference to a Buffer, or is null.
class BufferPtr {
 public:
  BufferPtr() = default;
  // Takes over the reference that `buffer` came with.
  static BufferPtr Adopt(Buffer* buffer) {
    BufferPtr p;
    p.buffer_ = buffer;
    return p;
  }
  // Adds a reference.
  static BufferPtr Share(Buffer* buffer) {
    if (buffer) buffer->Ref();
    return Adopt(buffer);
  }
  BufferPtr(const BufferPtr& other) : buffer_(other.buffer_) {
    if (buffer_) buffer_->Ref();
  }
  BufferPtr(BufferPtr&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferPtr& operator=(BufferPtr other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferPtr() {
    if (buffer_) buffer_->Unref();
  }
  Buffer* get() const { return buffer_; }
  Buffer* operator->() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }

 private:
  Buffer* buffer_ = nullptr;
};

// An Allocator hands out buffers in one kind of memory, aligned to 64 bytes. Thread-safe.
class RAMET_EXPORT Allocator {
 public:
  virtual ~Allocator() = default;
  virtual std::string_view name() const = 0;
  // A buffer of at least `bytes` bytes with size() == bytes, contents unspecified.
  // \error kResourceExhausted if the memory is not to be had.
  virtual StatusOr<BufferPtr> Allocate(size_t bytes) = 0;
};

// The host's pool: blocks in size classes that go back to a free list, so that a steady program
// allocates nothing from the system. Never destroyed.
RAMET_EXPORT Allocator* HostAllocator();

// What the host's pool did so far: system_allocations grows only when the system was asked.
struct HostAllocatorStats {
  int64_t system_allocations = 0;
  int64_t bytes_in_use = 0;
  int64_t bytes_cached = 0;
};
RAMET_EXPORT HostAllocatorStats GetHostAllocatorStats();

}  // namespace ramet
