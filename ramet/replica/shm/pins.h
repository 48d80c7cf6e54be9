#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/device/memory_sharer.h"
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

// A Pin keeps the version in a cell until it is destroyed.
class Pin {
 public:
  Pin(std::shared_ptr<Pins> pins, std::atomic<uint64_t>* cell)
      : pins_(std::move(pins)), cell_(cell) {}
  ~Pin() { pins_->Release(cell_); }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

 private:
  const std::shared_ptr<Pins> pins_;
  std::atomic<uint64_t>* const cell_;
};

// A DeviceHold keeps a version whose values a device reads. It ends when the device has done the
// work that it was given, because the publisher may overwrite the values afterwards.
class DeviceHold {
 public:
  DeviceHold(const MemorySharer& sharer, std::shared_ptr<const Pin> pin)
      : sharer_(sharer), pin_(std::move(pin)) {}
  ~DeviceHold() { sharer_.WaitForWork(); }
  DeviceHold(const DeviceHold&) = delete;
  DeviceHold& operator=(const DeviceHold&) = delete;

 private:
  const MemorySharer& sharer_;
  const std::shared_ptr<const Pin> pin_;
};

// A PinnedVersion is a version that is unpinned when it and its values on devices are gone. Not
// thread-safe.
class PinnedVersion final : public HeldVersion {
 public:
  explicit PinnedVersion(std::shared_ptr<const Pin> pin) : pin_(std::move(pin)) {}
  ~PinnedVersion() override { values.clear(); }
  std::vector<Entry> entries;  // in the order of the signature

  // Returns the hold of the values on a device.
  const std::shared_ptr<DeviceHold>& HoldOn(const MemorySharer& sharer) {
    std::shared_ptr<DeviceHold>& hold = holds_[&sharer];
    if (!hold) hold = std::make_shared<DeviceHold>(sharer, pin_);
    return hold;
  }

 private:
  const std::shared_ptr<const Pin> pin_;
  std::map<const MemorySharer*, std::shared_ptr<DeviceHold>> holds_;
};

}  // namespace ramet::shm
