#pragma once

#include <string_view>

#include "ramet/ops/image/png.h"

namespace ramet {

// The header of a BMP file without compression and palette.
struct BmpHeader {
  int64_t height = 0, width = 0;
  int channels = 0;  // of the file: 1, 3 or 4
  bool top_down = false;
  int64_t offset = 0;  // of the pixels in the file

  // Returns the bytes of a row in the file.
  int64_t row_bytes() const { return (channels * width + 3) / 4 * 4; }
};

// \error kInvalidArgument: the header is damaged, or the file is shorter than its image.
StatusOr<BmpHeader> ReadBmpHeader(std::string_view data);
// Sets the pixels of `channels` channels each. The alpha channel of a file that has none is 255.
void ReadBmpPixels(std::string_view data, const BmpHeader& header, int channels, uint8_t* pixels);

}  // namespace ramet
