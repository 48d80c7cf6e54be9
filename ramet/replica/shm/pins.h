#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/transport.h"

namespace ramet::shm {

// Pins are the cells of this follower's control block, and which of them are in use. Thread-safe.
class Pins {
 public:
  explicit Pins(MemoryFile control) : control_(std::move(control)) {}
  // Returns null if all cells are in use.
  std::atomic<uint64_t>* Acquire() {
    MutexLock lock(mutex_);
    for (uint32_t i = 0; i < kPinCells; ++i) {
      if (used_[i]) continue;
      used_[i] = true;
      return &block().pins[i];
    }
    return nullptr;
  }
  void Release(std::atomic<uint64_t>* cell) {
    MutexLock lock(mutex_);
    cell->store(0, std::memory_order_release);
    used_[static_cast<size_t>(cell - block().pins)] = false;
  }
  void SetTaken(uint64_t version) { block().taken.store(version, std::memory_order_relaxed); }

 private:
  ControlBlock& block() const { return *reinterpret_cast<ControlBlock*>(control_.data()); }
  MemoryFile control_;
  Mutex mutex_;
  std::array<bool, kPinCells> used_ RAMET_GUARDED_BY(mutex_) = {};
};

// A PinnedVersion is a version that its destructor unpins.
class PinnedVersion final : public HeldVersion {
 public:
  PinnedVersion(std::shared_ptr<Pins> pins, std::atomic<uint64_t>* cell)
      : pins_(std::move(pins)), cell_(cell) {}
  ~PinnedVersion() override {
    values.clear();
    pins_->Release(cell_);
  }

 private:
  const std::shared_ptr<Pins> pins_;
  std::atomic<uint64_t>* const cell_;
};

}  // namespace ramet::shm
