#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ramet/ops/image/png.h"

namespace ramet {

// A part of an image, in pixels.
struct ImageWindow {
  int64_t top, left, height, width;
};

struct JpegDecodeOptions {
  int channels = 0;  // 1 or 3; 0 for those of the file
  int ratio = 1;     // by how much the image is made smaller: 1, 2, 4 or 8
  bool fancy_upscaling = true;
  bool recover_truncated = false;
  bool accurate_dct = false;
  float least_fraction = 1;  // of the rows that must be in the file
  std::optional<ImageWindow> window;
};

// A JpegDecoder reads one JPEG file with libjpeg-turbo. Not thread-safe.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Reads the header. `data` must outlive this object.
  // \error kInvalidArgument: the header is damaged, the window is not in the image, or the file is
  //   too small for its image.
  Status Open(std::string_view data, const JpegDecodeOptions& options);
  // Returns the size of the result.
  const ImageSize& size() const { return size_; }
  // Reads all pixels. Rows that are not in the file are black, or copies of the last row if
  // truncated files are to be recovered.
  // \error kInvalidArgument: the file is damaged.
  Status Read(uint8_t* pixels);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  ImageSize size_;
};

// Returns the size of the image in a JPEG file.
// \error kInvalidArgument: the header is damaged.
StatusOr<ImageSize> ReadJpegSize(std::string_view data);

struct JpegEncodeOptions {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  int density_unit = 1;  // 1 for inches, 2 for centimeters
  int x_density = 300, y_density = 300;
  std::string xmp_metadata;
};

// Returns rows of pixels of 1 or 3 channels (gray or RGB) as a JPEG file.
// \error kInvalidArgument: libjpeg-turbo refuses the image, for example because a side is 0 or
//   above 65500.
StatusOr<std::string> EncodeJpeg(const uint8_t* pixels, const ImageSize& size,
                                 const JpegEncodeOptions& options);

}  // namespace ramet
