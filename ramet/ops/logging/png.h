#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ramet/base/status.h"

namespace ramet {

// Returns an image as a PNG file: `height` rows of `width` pixels of `channels` bytes, 1 to 4
// (gray, gray and alpha, RGB, RGB and alpha). Filters and compression are the defaults of libpng.
// \error kInvalidArgument: a side is 0 or above 2^31 - 1.
// \error kResourceExhausted: zlib is out of memory.
StatusOr<std::string> EncodePng(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                                int channels);

}  // namespace ramet
