#include "ramet/replica/place_values.h"

#include <map>
#include <utility>

#include "ramet/replica/device_values.h"

namespace ramet {
namespace {

// Returns the device with memory of its own that a variable is on, or null. A run leaves a variable
// on the device that it uses it on. Before the first run, that is where the placer puts it.
StatusOr<Device*> DeviceOf(const FollowedModel& model,
                           const FollowedModel::FollowedVariable& variable) {
  const Tensor own = variable.state->Read();
  if (own.empty()) return variable.device;
  return DeviceOfValue(model.impl(), own);
}

// Copies the host tensors of `indices` to a device.
Status CopyIn(Device& device, const std::vector<size_t>& indices, std::vector<Tensor>* values) {
  BackgroundCopier* const copier = BackgroundCopierOf(device);
  if (copier == nullptr) return OkStatus();  // the first run copies them
  std::vector<Tensor> host;
  for (size_t i : indices) host.push_back((*values)[i]);
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> copies, copier->CopyIn(host));
  for (size_t i = 0; i < indices.size(); ++i) (*values)[indices[i]] = std::move(copies[i]);
  return OkStatus();
}

}  // namespace

Status PlaceValues(const FollowerSource& source, HeldValues* values) {
  const FollowedModel& model = *source.model;
  std::map<Device*, std::vector<size_t>> to_copy;
  std::vector<Tensor> shared;
  for (size_t i = 0; i < values->values.size(); ++i) {
    Tensor& value = values->values[i];
    if (value.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(Device* const device, DeviceOf(model, model.variables()[i]));
    if (device == nullptr) continue;
    if (!values->on_device) {
      values->on_device = DeviceVersions::Global().Want(values->id.epoch);
      shared = values->on_device->Find(values->held->info);
    }
    const auto entry = static_cast<size_t>(source.binding.published_as[i]);
    if (entry < shared.size() && shared[entry].memory() == device->memory()) {
      value = shared[entry];
    } else {
      to_copy[device].push_back(i);
    }
  }
  for (const auto& [device, indices] : to_copy) {
    RAMET_RETURN_IF_ERROR(CopyIn(*device, indices, &values->values));
  }
  return OkStatus();
}

}  // namespace ramet
