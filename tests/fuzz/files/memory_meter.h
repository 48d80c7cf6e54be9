#pragma once

#include <cstddef>

namespace ramet::fuzz {

// A MemoryMeter measures the peak growth of the process's memory since it was created. With the
// address sanitizer it counts allocations, otherwise resident memory. Only one may exist at a time.
class MemoryMeter {
 public:
  MemoryMeter();
  size_t PeakBytes() const;

 private:
  size_t start_;
};

}  // namespace ramet::fuzz
