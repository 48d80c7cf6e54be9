#include "ramet/ops/image/bmp.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace ramet {
namespace {

template <class T>
T LittleEndianAt(std::string_view data, size_t at) {
  std::make_unsigned_t<T> value = 0;
  for (size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<std::make_unsigned_t<T>>(value << 8 | static_cast<uint8_t>(data[at + i]));
  }
  return static_cast<T>(value);
}

}  // namespace

StatusOr<BmpHeader> ReadBmpHeader(std::string_view data) {
  constexpr size_t kHeaderBytes = 32, kOffsetAt = 10, kWidthAt = 18, kHeightAt = 22, kBitsAt = 28;
  if (data.size() < kHeaderBytes) {
    return InvalidArgument(
        "Incomplete bmp content, requires at least 32 bytes to find the header "
        "size, width, height, and bpp, got ",
        data.size(), " bytes");
  }
  const int64_t height = LittleEndianAt<int32_t>(data, kHeightAt);
  BmpHeader header{std::abs(height), LittleEndianAt<int32_t>(data, kWidthAt),
                   LittleEndianAt<int16_t>(data, kBitsAt) / 8, height < 0,
                   LittleEndianAt<int32_t>(data, kOffsetAt)};
  if (header.channels != 1 && header.channels != 3 && header.channels != 4) {
    return InvalidArgument("Number of channels inherent in the image must be 1, 3 or 4, was ",
                           header.channels);
  }
  if (header.width <= 0) return InvalidArgument("Width must be positive");
  if (height == 0) return InvalidArgument("Height must be nonzero");
  if (header.offset < 0) return InvalidArgument("header size must be nonnegative");
  constexpr int64_t kMaxPixels = std::numeric_limits<int32_t>::max() / 8;
  if (header.width * header.height >= kMaxPixels) {
    return InvalidArgument("Total possible pixel bytes must be less than 2^30");
  }
  const int64_t needed =
      header.offset + (header.height - 1) * header.row_bytes() + header.width * header.channels;
  if (static_cast<int64_t>(data.size()) < needed) {
    return InvalidArgument("Incomplete bmp content, requires at least ", needed, " bytes, got ",
                           data.size(), " bytes");
  }
  return header;
}

void ReadBmpPixels(std::string_view data, const BmpHeader& h, int channels, uint8_t* pixels) {
  for (int64_t y = 0; y < h.height; ++y) {
    const int64_t row = h.top_down ? y : h.height - 1 - y;
    const auto* from =
        reinterpret_cast<const uint8_t*>(data.data()) + h.offset + row * h.row_bytes();
    for (int64_t x = 0; x < h.width; ++x, from += h.channels, pixels += channels) {
      if (h.channels == 1) {
        std::memset(pixels, from[0], channels);
      } else {
        for (int k = 0; k < std::min(channels, 3); ++k) pixels[k] = from[2 - k];
      }
      if (channels == 4) pixels[3] = h.channels == 4 ? from[3] : 255;
    }
  }
}

}  // namespace ramet
