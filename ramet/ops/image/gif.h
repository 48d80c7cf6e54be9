#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// A frame of an animation: a rectangle of colors in RGB that is drawn over the previous frame.
struct GifFrame {
  int64_t top = 0, left = 0, height = 0, width = 0;
  std::vector<uint8_t> colors;    // RGB
  std::vector<bool> transparent;  // per pixel
};

// The frames of a GIF file.
struct GifImage {
  int64_t height = 0, width = 0;  // the largest of all frames
  std::vector<GifFrame> frames;

  // Draws frame i, in RGB, over `previous` (null for the first frame).
  void Draw(size_t i, const uint8_t* previous, uint8_t* pixels) const;
};

// Reads a GIF file. With first_only, only the first frame is kept, but the size is that of all. If
// the file ends within a frame, the frames before it are returned.
// \error kInvalidArgument: the file is damaged, or a frame is larger than its data can be.
StatusOr<GifImage> ReadGif(std::string_view data, bool first_only);

}  // namespace ramet
