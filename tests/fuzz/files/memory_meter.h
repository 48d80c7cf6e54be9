#pragma once

#include <cstddef>

namespace ramet::fuzz {

// A MemoryMeter measures how much more memory the process used than at the beginning, at most. With
// the address sanitizer it counts what is allocated, otherwise the memory that was touched. One at
// a time.
class MemoryMeter {
 public:
  MemoryMeter();
  size_t PeakBytes() const;

 private:
  size_t start_;
};

}  // namespace ramet::fuzz
