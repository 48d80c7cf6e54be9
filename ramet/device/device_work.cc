#include "ramet/device/device_work.h"

#include "ramet/device/device.h"

namespace ramet {

DeviceWork DeviceWork::operator+(const DeviceWork& other) const {
  return {.launches = launches + other.launches,
          .graph_launches = graph_launches + other.graph_launches,
          .launches_in_graphs = launches_in_graphs + other.launches_in_graphs,
          .fused_launches = fused_launches + other.fused_launches,
          .merged_launches = merged_launches + other.merged_launches,
          .copies_to_device = copies_to_device + other.copies_to_device,
          .bytes_to_device = bytes_to_device + other.bytes_to_device,
          .copies_to_host = copies_to_host + other.copies_to_host,
          .bytes_to_host = bytes_to_host + other.bytes_to_host};
}

DeviceWork DeviceWork::operator-(const DeviceWork& before) const {
  return {.launches = launches - before.launches,
          .graph_launches = graph_launches - before.graph_launches,
          .launches_in_graphs = launches_in_graphs - before.launches_in_graphs,
          .fused_launches = fused_launches - before.fused_launches,
          .merged_launches = merged_launches - before.merged_launches,
          .copies_to_device = copies_to_device - before.copies_to_device,
          .bytes_to_device = bytes_to_device - before.bytes_to_device,
          .copies_to_host = copies_to_host - before.copies_to_host,
          .bytes_to_host = bytes_to_host - before.bytes_to_host};
}

std::optional<DeviceWork> WorkOfDevice(std::string_view type, int index) {
  const auto device = DeviceRegistry::Global().Get(type, index);
  if (!device.ok()) return std::nullopt;
  const auto* const counter = dynamic_cast<const WorkCounter*>(*device);
  if (counter == nullptr) return std::nullopt;
  return counter->work();
}

}  // namespace ramet
