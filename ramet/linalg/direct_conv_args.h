#pragma once

#include <cstdint>

#include "ramet/linalg/channel_epilogue.h"

// The arguments of the loops of direct convolutions. Internal to linalg.

namespace ramet::linalg {

// Output pixels that use the same taps of the filter, with one block of output channels. Pixels are
// [images, depth, height, width]; a step is the distance of neighbors, in elements.
struct DirectConvArea {
  const float* x;       // where the first tap of the first pixel reads
  const float* filter;  // the block's packed filter, from the first tap on
  float* y;             // the first pixel's first channel of the block
  int64_t pixels[4];
  int64_t x_step[4];
  int64_t y_step[4];
  // Taps along depth, height and width. The last dimension may be part of `run` instead.
  int64_t taps[3];
  int64_t x_tap[3];
  int64_t filter_tap[3];
  int64_t run;               // input elements that follow each other, per tap
  int64_t channels;          // of the block
  bool narrow;               // the block is one vector wide, not two
  ChannelEpilogue epilogue;  // from the block's first channel on, the addend as y
};

}  // namespace ramet::linalg
