#include "ramet/runtime/session_environment.h"

#include <algorithm>

#include "ramet/device/device_discovery.h"
#include "ramet/linalg/processors.h"

namespace ramet {
namespace {

constexpr int kMaxDevicesOfType = 1024;

int ThreadsOf(const SessionOptions& options) {
  if (options.intra_op_parallelism_threads > 0) return options.intra_op_parallelism_threads;
  return linalg::UsableProcessors();
}

// Steps that run at the same time use the threads that otherwise share the work of one step, so
// there are never more of them.
int InterOpThreadsOf(const SessionOptions& options) {
  const int processors = linalg::UsableProcessors();
  const int wanted = options.inter_op_parallelism_threads == 0
                         ? processors
                         : std::max(1, options.inter_op_parallelism_threads);
  const int intra = ThreadsOf(options);
  return intra == 1 ? wanted : std::min(wanted, intra);
}

Status CheckOptions(const SessionOptions& options) {
  if (options.intra_op_parallelism_threads < 0) {
    return InvalidArgument("intra_op_parallelism_threads is ", options.intra_op_parallelism_threads,
                           "; it must be 0 or more");
  }
  for (const auto& [type, count] : options.device_count) {
    const int min_count = type == "CPU" ? 1 : 0;
    if (count < min_count || count > kMaxDevicesOfType) {
      return InvalidArgument("device_count of ", type, " is ", count, "; expected ", min_count,
                             " to ", kMaxDevicesOfType);
    }
  }
  return OkStatus();
}

// Returns how many devices of a type a session has. A type whose devices are found at run time is
// not searched for if the session asks for none of them.
StatusOr<int> CountOf(const std::string& type, const SessionOptions& options) {
  const auto asked = options.device_count.find(type);
  const bool is_asked = asked != options.device_count.end();
  if (is_asked && asked->second == 0) return 0;
  RAMET_ASSIGN_OR_RETURN(const int found, DiscoverDevices(type, options.gpu_options));
  if (found >= 0) return is_asked ? std::min(asked->second, found) : found;
  return is_asked ? asked->second : DeviceRegistry::Global().DefaultCount(type);
}

StatusOr<std::vector<Device*>> FindDevices(const SessionOptions& options) {
  DeviceRegistry& registry = DeviceRegistry::Global();
  std::vector<Device*> devices;
  for (const std::string& type : registry.Types()) {
    RAMET_ASSIGN_OR_RETURN(const int count, CountOf(type, options));
    for (int i = 0; i < count; ++i) {
      RAMET_ASSIGN_OR_RETURN(Device * device, registry.Get(type, i));
      devices.push_back(device);
    }
  }
  return devices;
}

}  // namespace

StatusOr<std::unique_ptr<SessionEnvironment>> SessionEnvironment::Make(
    const Graph& graph, const SessionOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckOptions(options));
  std::unique_ptr<SessionEnvironment> made(new SessionEnvironment);
  RAMET_ASSIGN_OR_RETURN(made->devices_, FindDevices(options));
  for (Device* device : made->devices_) {
    made->envs_.push_back({.allocator = device->kernel_allocator(),
                           .variable_allocator = device->allocator(),
                           .resources = &made->resources_,
                           .memory = device->memory()});
  }
  RAMET_ASSIGN_OR_RETURN(PassSelection passes, PassSelection::Make(options.disabled_passes));
  if (options.deterministic) passes.KeepExact();
  made->settings_ = {.devices = made->devices_,
                     .envs = made->envs_,
                     .intra_op_threads = ThreadsOf(options),
                     .inter_op_threads = InterOpThreadsOf(options),
                     .deterministic = options.deterministic,
                     .passes = passes,
                     .graph = &GraphDataOf(graph)};
  return made;
}

StatusOr<Tensor> SessionEnvironment::ToHost(const Tensor& value) const {
  if (value.empty() || value.host_accessible()) return value;
  for (Device* device : devices_) {
    if (device->memory() != value.memory()) continue;
    StatusOr<Tensor> copied = Internal("not copied");
    device->Enqueue([&] { copied = device->CopyToHost(value); });
    RAMET_RETURN_IF_ERROR(device->Synchronize());
    return copied;
  }
  return Internal("a value is in the memory of a device that this session does not have");
}

}  // namespace ramet
