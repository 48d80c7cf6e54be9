#pragma once

#include <cstdint>

// The arguments of the loops of gradients of filters. Internal to linalg.

namespace ramet::linalg {

// The part of a gradient that belongs to one tap, some input channels and a block of output
// channels, and the output pixels whose windows have the tap inside of the image. Pixels are
// [images, depth, height, width]; a step is the distance of neighbors, in elements.
struct FilterGradientArea {
  const float* x;   // what the tap reads for the first pixel, from the first input channel on
  const float* dy;  // the gradient of the first pixel, from the block's first channel on
  float* df;        // the gradient of the first input channel, from the block's first channel on
  int64_t pixels[4];
  int64_t x_step[4];
  int64_t dy_step[4];
  int64_t df_row;   // between input channels
  int64_t rows;     // input channels, at most KernelTable::filter_gradient_rows
  bool narrow;      // the block is one vector wide, not two
  bool accumulate;  // add to df
};

}  // namespace ramet::linalg
