#include "ramet/backends/gpu/chosen_devices.h"

#include <cstdlib>
#include <numeric>

#include "ramet/backends/gpu/driver/driver_choice.h"

namespace ramet::gpu {
namespace {

std::vector<DriverDevice*>* devices_for_testing = nullptr;

std::vector<int> AllOf(size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

StatusOr<DriverChoice> ChosenDriver() {
  const char* const wanted = std::getenv("RAMET_GPU");
  return ParseDriverChoice(wanted ? wanted : "");
}

StatusOr<std::vector<DriverDevice*>> ChosenDevices(const GpuOptions& options) {
  if (devices_for_testing != nullptr) return *devices_for_testing;
  RAMET_ASSIGN_OR_RETURN(const DriverChoice choice, ChosenDriver());
  RAMET_ASSIGN_OR_RETURN(const std::vector<DriverDevice*> all, OpenDriver(choice));
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool is_applied = !all.empty() && all[0]->info().honors_visible_devices;
  const std::vector<int> left = visible != nullptr && !is_applied
                                    ? VisibleDevices(visible, static_cast<int>(all.size()))
                                    : AllOf(all.size());
  std::vector<int> listed = AllOf(left.size());
  if (!options.visible_device_list.empty() && !left.empty()) {
    const std::string& list = options.visible_device_list;
    listed = VisibleDevices(list, static_cast<int>(left.size()));
    if (listed.size() != StrSplit(list, ',').size()) {
      return InvalidArgument("visible_device_list is '", list,
                             "'; expected different numbers from 0 to ", left.size() - 1,
                             ", separated by commas");
    }
  }
  std::vector<DriverDevice*> chosen;
  for (int i : listed) chosen.push_back(all[left[i]]);
  return chosen;
}

void SetDevicesForTesting(std::vector<DriverDevice*> devices) {
  delete std::exchange(devices_for_testing, new std::vector(std::move(devices)));
}

}  // namespace ramet::gpu
