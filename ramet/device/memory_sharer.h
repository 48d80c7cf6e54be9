#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/device/background_copier.h"
#include "ramet/device/device.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A SharedBlock is a block of device memory that several processes map. The process that allocated
// it writes to it, and the others only read. Thread-safe.
class RAMET_EXPORT SharedBlock {
 public:
  // Values start at multiples of this many bytes.
  static constexpr size_t kAlignment = 256;
  virtual ~SharedBlock();
  virtual size_t size() const = 0;
  // Returns the descriptor by which other processes open the block; -1 in those processes.
  virtual int fd() const = 0;
  // Returns the value at `offset`, a multiple of kAlignment; the value must end within the block.
  // Kernels do not write to it in place (Buffer::borrowed). The block and `hold` live as long as
  // the value.
  virtual Tensor ValueAt(size_t offset, DType dtype, const Shape& shape,
                         std::shared_ptr<const void> hold) = 0;
};

// A MemorySharer is a DeviceMemory of which processes can share blocks. Thread-safe.
class RAMET_EXPORT MemorySharer {
 public:
  virtual ~MemorySharer();
  // Returns a text without spaces that is the same in all processes of this machine that can share
  // blocks with this one: it names the device and the driver. Empty if the driver cannot share.
  virtual const std::string& sharing_key() const = 0;
  // Allocates a block of at least `bytes` bytes.
  // \error kResourceExhausted: the memory is full.
  // \error kUnimplemented: the driver cannot share memory.
  virtual StatusOr<std::shared_ptr<SharedBlock>> AllocateShared(size_t bytes) const = 0;
  // Opens a block of another process. `fd` stays the caller's. Anything may have sent it: what the
  // driver does not know is an error.
  // \error kInvalidArgument, kInternal: the descriptor is not one of such a block on this device.
  // \error as for AllocateShared.
  virtual StatusOr<std::shared_ptr<SharedBlock>> OpenShared(int fd, size_t bytes) const = 0;
  // Copies values to values of the same sizes in blocks of this process, as
  // BackgroundCopier::CopyOut does: after `mark`, and waits for the copies.
  // \error as for BackgroundCopier::CopyOut.
  virtual Status CopyToShared(DeviceMark& mark, std::span<const Tensor> from,
                              std::span<const Tensor> to) const = 0;
  // Waits until the device has done all work that this process has given it, or is lost.
  virtual void WaitForWork() const = 0;
};

// Returns the sharer of a device's memory, or null if it has none or its driver cannot share.
RAMET_EXPORT const MemorySharer* MemorySharerOf(const DeviceMemory& memory);

}  // namespace ramet
