#pragma once

#include <cstdint>

namespace ramet::linalg {

struct Bytes16 {
  uint64_t part[2];
};

// Calls fn with a value of a plain type of `width` bytes (1, 2, 4, 8 or 16).
template <class Fn>
void WithWidth(int64_t width, Fn&& fn) {
  switch (width) {
    case 1: return fn(uint8_t{});
    case 2: return fn(uint16_t{});
    case 4: return fn(uint32_t{});
    case 8: return fn(uint64_t{});
    default: return fn(Bytes16{});
  }
}

}  // namespace ramet::linalg
