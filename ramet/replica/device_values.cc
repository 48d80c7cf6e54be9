#include "ramet/replica/device_values.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/device/memory_sharer.h"

namespace ramet {

StatusOr<Device*> DeviceOfValue(const SessionImpl& session, const Tensor& value) {
  if (value.empty() || value.host_accessible()) return nullptr;
  for (Device* device : session.devices()) {
    if (device->memory() == value.memory()) return device;
  }
  return Internal("a value is in the memory of a device that this session does not have");
}

Status DeviceValues::Mark(const SessionImpl& session, const Tensor& value) {
  if (std::ranges::find(devices_, value.memory(), &MarkedDevice::memory) != devices_.end()) {
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Device* const device, DeviceOfValue(session, value));
  BackgroundCopier* const copier = BackgroundCopierOf(*device);
  if (copier == nullptr) {
    return Unimplemented(device->name(), " cannot copy values while it works; place the published ",
                         "variables on another device");
  }
  RAMET_ASSIGN_OR_RETURN(auto mark, copier->Mark());
  devices_.push_back({value.memory(), copier, std::move(mark)});
  return OkStatus();
}

std::vector<const DeviceMemory*> DeviceValues::memories() const {
  std::vector<const DeviceMemory*> memories;
  for (const MarkedDevice& device : devices_) memories.push_back(device.memory);
  return memories;
}

Status DeviceValues::CopyToShared(std::span<const Tensor> from, std::span<const Tensor> to) const {
  for (const MarkedDevice& device : devices_) {
    const MemorySharer* const sharer = MemorySharerOf(*device.memory);
    std::vector<Tensor> sources, targets;
    for (size_t i = 0; i < from.size(); ++i) {
      if (to[i].empty() || to[i].memory() != device.memory) continue;
      sources.push_back(from[i]);
      targets.push_back(to[i]);
    }
    if (sharer == nullptr || sources.empty()) continue;
    RAMET_RETURN_IF_ERROR(sharer->CopyToShared(*device.mark, sources, targets));
  }
  return OkStatus();
}

Status DeviceValues::CopyToHost() const {
  for (const MarkedDevice& device : devices_) {
    std::vector<BackgroundCopier::Copy> copies;
    for (const Value& value : values_) {
      if (value.device.memory() != device.memory) continue;
      auto* const bytes = static_cast<std::byte*>(value.host.raw_data());
      copies.push_back({value.device, {bytes, value.host.bytes()}});
    }
    RAMET_RETURN_IF_ERROR(device.copier->CopyOut(*device.mark, copies));
  }
  return OkStatus();
}

}  // namespace ramet
