#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ramet/base/status.h"

namespace ramet {

// The PNG file of an image: height rows of width pixels of `channels` bytes, 1 to 4 (grey, grey and
// alpha, RGB, RGB and alpha). Filters and compression are chosen as libpng does by default.
// \error kInvalidArgument if a side is 0 or above 2^31 - 1; kResourceExhausted if zlib finds no
//   memory.
StatusOr<std::string> EncodePng(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                                int channels);

}  // namespace ramet
