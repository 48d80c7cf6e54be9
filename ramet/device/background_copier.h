#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/device/device.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A DeviceMark is a point in the work of a device.
class DeviceMark {
 public:
  virtual ~DeviceMark() = default;
};

// A BackgroundCopier copies values between a device and the host while the device goes on with its
// other work. A device with memory of its own is a BackgroundCopier too. Thread-safe.
class RAMET_EXPORT BackgroundCopier {
 public:
  virtual ~BackgroundCopier();
  // Returns the point after all work that the device has been given. Does not wait for it.
  // \error as for Device::CopyToHost.
  virtual StatusOr<std::unique_ptr<DeviceMark>> Mark() = 0;
  // A copy of the bytes of a value in the device's memory to host memory.
  struct Copy {
    const Tensor& from;
    std::span<std::byte> to;
  };
  // Waits until the device has passed `mark`, which must be this device's, copies, and waits for
  // the copies. Work after the mark does not wait for them. The values must not change meanwhile.
  // After an error the bytes are undefined, and no copy is under way.
  // \error kInternal: the copy failed, or the work before the mark did.
  virtual Status CopyOut(DeviceMark& mark, std::span<const Copy> copies) = 0;
  // Returns copies of host tensors in the device's memory, and waits for the copies. Work that the
  // device is given meanwhile does not wait for them.
  // \error as for Device::CopyFromHost.
  virtual StatusOr<std::vector<Tensor>> CopyIn(std::span<const Tensor> host) = 0;
};

// Returns the copier of a device, or null if it has no memory of its own.
RAMET_EXPORT BackgroundCopier* BackgroundCopierOf(Device& device);

}  // namespace ramet
