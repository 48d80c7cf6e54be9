#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ramet/device/device.h"
#include "ramet/runtime/run_context.h"
#include "ramet/runtime/session.h"

namespace ramet {

// A SessionEnvironment is what the runs of a session work on: its devices with their memory, and
// the resources of its kernels. Thread-safe: the devices and settings do not change, and a
// ResourceStore may be shared.
class SessionEnvironment {
 public:
  // \error kInvalidArgument: an option has an invalid value.
  // \error kResourceExhausted: a device could not reserve its memory.
  // \error as DiscoverDevices: the GPU that RAMET_GPU asks for cannot be used.
  static StatusOr<std::unique_ptr<SessionEnvironment>> Make(const Graph& graph,
                                                            const SessionOptions& options);
  SessionEnvironment(const SessionEnvironment&) = delete;
  SessionEnvironment& operator=(const SessionEnvironment&) = delete;

  std::span<Device* const> devices() const { return devices_; }
  const ExecutorSettings& settings() const { return settings_; }
  ResourceStore& resources() { return resources_; }
  // Copies a value to host memory from the device in whose memory it is.
  StatusOr<Tensor> ToHost(const Tensor& value) const;

 private:
  SessionEnvironment() = default;

  std::vector<Device*> devices_;
  std::vector<KernelEnv> envs_;  // one per device
  ExecutorSettings settings_;
  ResourceStore resources_;
};

}  // namespace ramet
