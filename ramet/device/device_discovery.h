#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/device/gpu_options.h"

// Device types whose number is found at run time, when the first session that could use them is
// created.
namespace ramet {

// Finds the devices of a type and returns their number. Called for each session that may have such
// devices, also with other options; later calls are cheap.
// \error kNotFound, kInvalidArgument, ...: the program asks for devices that cannot be used.
using DeviceDiscovery = StatusOr<int> (*)(const GpuOptions& options);

// Registers the discovery of a type of the DeviceRegistry. Called at startup.
void RegisterDeviceDiscovery(std::string_view type, DeviceDiscovery discovery);

// Returns the number of devices of a type that were found; -1 if the type has no discovery.
// \error as DeviceDiscovery.
RAMET_EXPORT StatusOr<int> DiscoverDevices(std::string_view type, const GpuOptions& options);

}  // namespace ramet
