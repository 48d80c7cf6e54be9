#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ramet/linalg/random_bits.h"

namespace ramet {

// A rectangle of pixels, without the last column and row.
struct PixelBox {
  int64_t left = 0, top = 0, right = 0, bottom = 0;

  float Area() const { return static_cast<float>((right - left) * (bottom - top)); }
  // Returns the common part, which is empty if the boxes do not overlap.
  PixelBox Intersect(const PixelBox& other) const;
};

// The demands on a random crop of an image.
struct CropDemands {
  int64_t width, height;          // of the image
  float least_area, most_area;    // fractions of the image
  float least_ratio, most_ratio;  // width over height
  float covered;                  // the least fraction of one of the boxes that it contains
  int64_t attempts;
};

// Draws crops until one contains enough of one of the boxes. Returns nothing if no attempt did.
std::optional<PixelBox> DrawCrop(const CropDemands& demands, std::span<const PixelBox> boxes,
                                 linalg::WordStream& words);

}  // namespace ramet
