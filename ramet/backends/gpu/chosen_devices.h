#pragma once

#include <vector>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/backends/gpu/driver/driver_choice.h"
#include "ramet/device/gpu_options.h"

namespace ramet::gpu {

// Returns the driver that RAMET_GPU asks for.
// \error kInvalidArgument: RAMET_GPU has an unknown value.
StatusOr<DriverChoice> ChosenDriver();

// Returns the devices that become /device:GPU:0, /device:GPU:1, ...: the driver's, without those
// that CUDA_VISIBLE_DEVICES and the options hide, in the order that these ask for.
// \error kInvalidArgument: RAMET_GPU or options.visible_device_list is invalid.
// \error as OpenDriver.
StatusOr<std::vector<DriverDevice*>> ChosenDevices(const GpuOptions& options);

// Makes ChosenDevices return these devices. For tests of failing devices, before the first session.
void SetDevicesForTesting(std::vector<DriverDevice*> devices);

}  // namespace ramet::gpu
