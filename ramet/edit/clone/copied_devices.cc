#include "ramet/edit/clone/copied_devices.h"

#include "ramet/graph/device_name.h"
#include "ramet/graph/edit_graph.h"

namespace ramet {
namespace {

// Import refuses a graph with a device that cannot be parsed, so a clone must not make one.
Status CheckDevice(const std::string& device) {
  if (device.empty()) return OkStatus();
  return DeviceName::Parse(device).status().WithContext("clone: device");
}

}  // namespace

Status CopiedDevices::Evaluate() {
  if (const auto* fixed = std::get_if<std::string>(&device_.rule())) return CheckDevice(*fixed);
  if (const auto* map = std::get_if<CloneDevice::Map>(&device_.rule())) {
    for (const auto& [from, to] : *map) RAMET_RETURN_IF_ERROR(CheckDevice(to));
  }
  const auto* function = std::get_if<CloneDevice::Function>(&device_.rule());
  if (function == nullptr) return OkStatus();
  for (NodeId id : selection_.nodes()) {
    evaluated_.push_back((*function)(Operation(mapping_.source, id)));
    RAMET_RETURN_IF_ERROR(CheckDevice(evaluated_.back()));
  }
  return OkStatus();
}

int32_t CopiedDevices::Of(size_t position) {
  DeviceList& devices = MutableGraphDataOf(*mapping_.target).devices;
  if (!evaluated_.empty()) return devices.Intern(evaluated_[position]);
  const GraphData& source = selection_.impl();
  const int32_t device = source.nodes[selection_.nodes()[position]].device;
  const auto i = static_cast<size_t>(device);
  if (i >= numbers_.size()) numbers_.resize(source.devices.size(), -1);
  if (numbers_[i] < 0) numbers_[i] = devices.Intern(Mapped(source.devices[device]));
  return numbers_[i];
}

std::string CopiedDevices::Mapped(const std::string& device) const {
  if (const auto* fixed = std::get_if<std::string>(&device_.rule())) return *fixed;
  const auto* map = std::get_if<CloneDevice::Map>(&device_.rule());
  const auto mapped = map == nullptr ? CloneDevice::Map::const_iterator() : map->find(device);
  return map != nullptr && mapped != map->end() ? mapped->second : device;
}

}  // namespace ramet
