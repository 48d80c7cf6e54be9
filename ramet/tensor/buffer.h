#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/host_allocator.h"

namespace ramet {

class DeviceMemory;

// A Buffer is a reference-counted block of memory that holds the bytes of a tensor. The count is
// atomic; the bytes are not guarded. By convention a buffer with more than one owner is read-only:
// a writer checks unique() first, or allocates a new buffer.
class RAMET_EXPORT Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  size_t size() const { return size_; }
  // The memory of the device that the buffer belongs to (Device::memory), or null for host memory.
  const DeviceMemory* memory() const { return memory_; }
  // Reports whether the host may access data(). Accessing an accelerator's memory faults.
  bool host_accessible() const { return memory_ == nullptr; }
  // Reports whether there is exactly one owner, which may then write. Always false if borrowed(),
  // and if base() has other owners.
  bool unique() const {
    return refs_.load(std::memory_order_acquire) == 1 && !borrowed() &&
           (base_ == nullptr || base_->unique());
  }
  // Reports whether the memory belongs to code outside of Ramet that may write to it later, such as
  // a caller's array. It is valid for the run that it was passed to; code that keeps the value
  // longer copies it.
  bool borrowed() const { return borrowed_.load(std::memory_order_relaxed); }
  // Forbids all further writes, also by the last owner. Called by an owner; a later sole owner sees
  // the change.
  void MakeBorrowed() { borrowed_.store(true, std::memory_order_relaxed); }
  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Dispose();
  }
  // Returns the buffer whose memory this one maps at another address, or nullptr.
  Buffer* base() const { return base_; }

 protected:
  // The derived class owns a reference to `base`.
  Buffer(void* data, size_t size, const DeviceMemory* memory, bool borrowed = false,
         Buffer* base = nullptr)
      : data_(data), size_(size), memory_(memory), base_(base), borrowed_(borrowed) {}
  virtual ~Buffer() = default;
  // Called when the last reference is gone. Frees the buffer, or keeps it for the next allocation,
  // which must start with Reset().
  virtual void Dispose() = 0;
  void Reset(size_t size) {
    size_ = size;
    refs_.store(1, std::memory_order_relaxed);
  }

 private:
  void* data_;
  size_t size_;
  std::atomic<int32_t> refs_{1};
  const DeviceMemory* memory_;
  Buffer* const base_;
  std::atomic<bool> borrowed_;
};

// A BufferPtr owns one reference to a Buffer, or is null.
class BufferPtr {
 public:
  BufferPtr() = default;
  // Takes ownership of the caller's reference.
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

// An Allocator allocates buffers in one kind of memory, aligned to 64 bytes. Thread-safe.
class RAMET_EXPORT Allocator {
 public:
  virtual ~Allocator() = default;
  virtual std::string_view name() const = 0;
  // Returns a buffer with capacity for at least `bytes` bytes, size() == bytes and unspecified
  // contents.
  // \error kResourceExhausted: the memory cannot be allocated.
  virtual StatusOr<BufferPtr> Allocate(size_t bytes) = 0;
};

}  // namespace ramet
