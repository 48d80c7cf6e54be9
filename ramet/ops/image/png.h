#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// The size of an image in a file.
struct ImageSize {
  int64_t height = 0, width = 0;
  int channels = 0;
};

// The pixels of an image to encode: rows of `width` pixels of `channels` numbers of 8 or 16 bits
// in the byte order of the host.
struct PngImage {
  const void* pixels;
  int64_t height, width;
  int channels;
  int bits = 8;
  int compression = -1;  // zlib's level; -1 is its default
};

// Returns an image with 1 to 4 channels (gray, gray and alpha, RGB, RGB and alpha) as a PNG file.
// Filters are the defaults of libpng.
// \error kInvalidArgument: a side is 0 or above 2^31 - 1, or the level is not -1 to 9.
// \error kInternal: libpng fails.
StatusOr<std::string> EncodePng(const PngImage& image);

// A PngDecoder reads one PNG file. Not thread-safe.
class PngDecoder {
 public:
  PngDecoder();
  ~PngDecoder();
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  // Reads the header. `data` must outlive this object. `channels` is the number of channels of the
  // result, 0 for that of the file. The result has `bits` (8 or 16) per number.
  // \error kInvalidArgument: the header is damaged, or the file is too small for its image.
  Status Open(std::string_view data, int channels, int bits);
  const ImageSize& size() const { return size_; }
  // Reads all pixels.
  // \error kInvalidArgument: the file is damaged.
  Status Read(void* pixels);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  ImageSize size_;
};

}  // namespace ramet
