#include "ramet/replica/place_values.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ramet/replica/device_values.h"

namespace ramet {
namespace {

// Returns the device with memory of its own that a variable is on, or null. A run leaves a variable
// on the device that it uses it on. Before the first run, that is where the placer puts it.
StatusOr<Device*> DeviceOf(const FollowedModel& model,
                           const FollowedModel::FollowedVariable& variable) {
  const auto followed = model.impl().followed().Get();
  const Tensor current = variable.state->Read(followed.get());
  if (current.empty()) return variable.device;
  return DeviceOfValue(model.impl(), current);
}

// Copies the host tensors of `indices` to a device.
Status CopyIn(FollowerTransport& transport, Device& device, const std::vector<size_t>& indices,
              std::vector<Tensor>* values) {
  BackgroundCopier* const copier = BackgroundCopierOf(device);
  if (copier == nullptr) return OkStatus();  // the first run copies them
  std::vector<Tensor> host;
  for (size_t i : indices) host.push_back((*values)[i]);
  if (std::ranges::any_of(host, &Tensor::borrowed)) transport.PrepareForCopies(*device.memory());
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> copies, copier->CopyIn(host));
  for (size_t i = 0; i < indices.size(); ++i) (*values)[indices[i]] = std::move(copies[i]);
  return OkStatus();
}

// The values of a version that are on devices already.
class ValuesOnDevices {
 public:
  ValuesOnDevices(const FollowerSource& source, HeldValues* values)
      : source_(source), values_(values) {}
  // Returns the value of a variable in the memory of a device: the publisher's own value, if it is
  // in this process, or its copy. Returns an empty tensor if there is none.
  Tensor Find(size_t variable, const Device& device) {
    if (!values_->on_device) {
      values_->on_device = DeviceVersions::Global().Want(values_->id.epoch);
      shared_ = values_->on_device->Find(values_->held->info);
    }
    const auto entry = static_cast<size_t>(source_.binding.published_as[variable]);
    if (entry < shared_.size() && shared_[entry].memory() == device.memory()) {
      return shared_[entry];
    }
    const bool is_converted =
        values_->values[variable].buffer().get() != values_->held->values[entry].buffer().get();
    if (is_converted) return Tensor();
    return source_.transport->OnDevice(*values_->held, entry, *device.memory());
  }

 private:
  const FollowerSource& source_;
  HeldValues* const values_;
  std::vector<Tensor> shared_;
};

}  // namespace

Status PlaceValues(const FollowerSource& source, HeldValues* values) {
  const FollowedModel& model = *source.model;
  ValuesOnDevices on_devices(source, values);
  std::map<Device*, std::vector<size_t>> to_copy;
  for (size_t i = 0; i < values->values.size(); ++i) {
    Tensor& value = values->values[i];
    if (value.empty()) continue;
    RAMET_ASSIGN_OR_RETURN(Device* const device, DeviceOf(model, model.variables()[i]));
    if (device == nullptr) continue;
    if (Tensor found = on_devices.Find(i, *device); !found.empty()) {
      value = std::move(found);
    } else {
      to_copy[device].push_back(i);
    }
  }
  for (const auto& [device, indices] : to_copy) {
    RAMET_RETURN_IF_ERROR(CopyIn(*source.transport, *device, indices, &values->values));
  }
  return OkStatus();
}

}  // namespace ramet
