#include "ramet/device/device_discovery.h"

#include <map>

#include "ramet/base/mutex.h"

namespace ramet {
namespace {

struct Discoveries {
  Mutex mutex;
  std::map<std::string, DeviceDiscovery, std::less<>> by_type RAMET_GUARDED_BY(mutex);

  static Discoveries& Global() {
    static auto* const discoveries = new Discoveries;
    return *discoveries;
  }
};

}  // namespace

void RegisterDeviceDiscovery(std::string_view type, DeviceDiscovery discovery) {
  Discoveries& all = Discoveries::Global();
  MutexLock lock(all.mutex);
  all.by_type.emplace(type, discovery);
}

StatusOr<int> DiscoverDevices(std::string_view type, const GpuOptions& options) {
  DeviceDiscovery discovery = nullptr;
  {
    Discoveries& all = Discoveries::Global();
    MutexLock lock(all.mutex);
    const auto found = all.by_type.find(type);
    if (found == all.by_type.end()) return -1;
    discovery = found->second;
  }
  return discovery(options);
}

}  // namespace ramet
