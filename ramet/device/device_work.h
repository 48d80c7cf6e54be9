#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ramet/base/export.h"

namespace ramet {

// Counts the work that a device was given. The difference of two counts is the work in between.
struct RAMET_EXPORT DeviceWork {
  int64_t launches = 0;            // kernels and graphs that were started
  int64_t graph_launches = 0;      // those of them that are graphs
  int64_t launches_in_graphs = 0;  // kernels that graphs started
  int64_t fused_launches = 0;      // kernels that did the work of several element-wise ops
  int64_t merged_launches = 0;     // kernels that updated several variables
  int64_t copies_to_device = 0;
  int64_t bytes_to_device = 0;
  int64_t copies_to_host = 0;
  int64_t bytes_to_host = 0;

  DeviceWork operator+(const DeviceWork& other) const;
  DeviceWork operator-(const DeviceWork& before) const;
};

// A WorkCounter is a device that counts its work. Thread-safe.
class RAMET_EXPORT WorkCounter {
 public:
  virtual ~WorkCounter() = default;
  // Returns the work since the process started.
  virtual DeviceWork work() const = 0;
};

// Returns the work of a device of this process since it started, for all sessions together.
// Returns nullopt if the type does not count its work, or no such device was found so far.
RAMET_EXPORT std::optional<DeviceWork> WorkOfDevice(std::string_view type, int index);

}  // namespace ramet
