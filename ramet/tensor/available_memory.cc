#include "ramet/tensor/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace ramet {
namespace {

constexpr size_t kMinCheckedBytes = size_t{1} << 30;
constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// Returns MemAvailable + SwapFree of /proc/meminfo, which is in KiB.
int64_t SystemMemory() {
  std::ifstream file("/proc/meminfo");
  int64_t bytes = 0;
  bool found = false;
  std::string name, unit;
  for (int64_t kib; file >> name >> kib;) {
    std::getline(file, unit);
    found = found || name == "MemAvailable:";
    if (name == "MemAvailable:" || name == "SwapFree:") bytes += kib * 1024;
  }
  return found ? bytes : kUnknown;
}

// Returns the container's memory limit, or kUnknown if the file does not exist or says "max".
int64_t GroupLimit() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  int64_t bytes;
  return file >> bytes ? bytes : kUnknown;
}

}  // namespace

int64_t AvailableMemory() { return std::min(SystemMemory(), GroupLimit()); }

Status CheckAvailable(size_t bytes) {
  if (bytes < kMinCheckedBytes) return OkStatus();
  const int64_t available = AvailableMemory();
  if (bytes <= static_cast<size_t>(available)) return OkStatus();
  return ResourceExhausted("out of host memory: ", bytes, " bytes were requested, but only ",
                           available, " are available");
}

}  // namespace ramet
