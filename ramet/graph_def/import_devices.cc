#include "ramet/graph_def/import_devices.h"

#include "ramet/graph/device_name.h"

namespace ramet {
namespace {

// Returns the node's own device merged with those of the open scopes.
StatusOr<std::string> MergedDevice(const BuildState& state, std::string_view own) {
  RAMET_ASSIGN_OR_RETURN(DeviceName merged, DeviceName::Parse(own));
  for (auto it = state.devices.rbegin(); it != state.devices.rend() && *it; ++it) {
    RAMET_ASSIGN_OR_RETURN(DeviceName outer, DeviceName::Parse(**it));
    merged = merged.MergedUnder(outer);
  }
  return merged.ToString();
}

// Takes the device of the first colocated node that has one.
void TakeColocatedDevice(ImportNodes& nodes, int32_t i) {
  for (int32_t other : nodes.Colocated(i)) {
    if (nodes.record(i).device != 0) return;
    nodes.record(i).device = nodes.record(other).device;
  }
}

}  // namespace

Status SetImportedDevices(ImportNodes& nodes, bool clear_devices) {
  std::unordered_map<std::string_view, int32_t> merged;
  std::vector<int32_t> colocated;
  for (int32_t i = 0; i < nodes.size(); ++i) {
    if (nodes.attrs(i).num_colocated > 0) {
      colocated.push_back(i);
      continue;
    }
    const std::string_view own = clear_devices ? std::string_view() : nodes.def(i).device;
    auto [it, added] = merged.try_emplace(own);
    if (added) {
      auto device = MergedDevice(nodes.impl().build_state, own);
      if (!device.ok()) {
        return device.status().WithContext(StrCat("Node '", nodes.def(i).name, "'"));
      }
      it->second = nodes.impl().devices.Intern(*device);
    }
    nodes.record(i).device = it->second;
  }
  for (int32_t i : colocated) TakeColocatedDevice(nodes, i);
  return OkStatus();
}

}  // namespace ramet
