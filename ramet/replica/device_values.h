#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ramet/device/background_copier.h"
#include "ramet/runtime/session_impl.h"

namespace ramet {

// Returns the device of the session in whose memory `value` is; null for host memory.
// \error kInternal: the session has no such device.
StatusOr<Device*> DeviceOfValue(const SessionImpl& session, const Tensor& value);

// DeviceValues are values that were taken from variables in device memory, each with host memory to
// copy it to.
class DeviceValues {
 public:
  // A value and its copy, of the same dtype and shape.
  struct Value {
    Tensor device, host;
    size_t index = 0;  // of the caller
  };

  // Notes the work that the device of `value` has been given, which computes the value.
  // \error as for BackgroundCopier::Mark.
  Status Mark(const SessionImpl& session, const Tensor& value);
  // Adds a value whose device is marked.
  void Add(Value value) { values_.push_back(std::move(value)); }
  bool empty() const { return values_.empty(); }
  const std::vector<Value>& values() const { return values_; }
  // Returns the device memories that hold values.
  std::vector<const DeviceMemory*> memories() const;
  // Copies `from`, some of the values, to `to`, which are empty or of the same sizes and in memory
  // that processes share.
  // \error as for MemorySharer::CopyToShared.
  Status CopyToShared(std::span<const Tensor> from, std::span<const Tensor> to) const;
  // Copies the values to host memory while their devices go on with other work, and waits for the
  // copies.
  // \error as for BackgroundCopier::CopyOut.
  Status CopyToHost() const;

 private:
  struct MarkedDevice {
    const DeviceMemory* memory;
    BackgroundCopier* copier;
    std::unique_ptr<DeviceMark> mark;
  };
  std::vector<MarkedDevice> devices_;
  std::vector<Value> values_;
};

}  // namespace ramet
