#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "ramet/base/export.h"
#include "ramet/device/device.h"

namespace ramet {

// The rights that the mapping of host memory has.
enum class HostAccess { kReadWrite, kReadOnly };

// A HostRegistration keeps host memory registered with the driver of a device. Destroy it before
// the memory is unmapped.
class RAMET_EXPORT HostRegistration {
 public:
  virtual ~HostRegistration();
};

// A HostRegistrar is a DeviceMemory whose driver copies directly to and from host memory that is
// registered with it. It copies other memory through a buffer of its own. Thread-safe.
class RAMET_EXPORT HostRegistrar {
 public:
  virtual ~HostRegistrar();
  // Registers host memory. Returns null if the driver cannot, or if another device of the driver
  // has registered it, which holds for all. Copies work in any case.
  virtual std::unique_ptr<HostRegistration> Register(std::span<const std::byte> memory,
                                                     HostAccess access) const = 0;
};

// Returns the registrar of a device's memory, or null if it has none.
RAMET_EXPORT const HostRegistrar* HostRegistrarOf(const DeviceMemory& memory);

}  // namespace ramet
