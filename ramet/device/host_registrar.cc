#include "ramet/device/host_registrar.h"

namespace ramet {

HostRegistration::~HostRegistration() = default;
HostRegistrar::~HostRegistrar() = default;

const HostRegistrar* HostRegistrarOf(const DeviceMemory& memory) {
  return dynamic_cast<const HostRegistrar*>(&memory);
}

}  // namespace ramet
