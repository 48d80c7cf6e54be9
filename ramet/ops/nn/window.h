#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// A WindowAttrs holds the attrs of an op that moves a window over an image: a convolution or a
// pooling op with two or three spatial dimensions. The arrays are indexed by spatial dimension. A
// plain value.
struct WindowAttrs {
  enum class Padding : uint8_t { kValid, kSame, kExplicit };

  int spatial = 2;
  bool channels_first = false;
  Padding padding = Padding::kValid;
  int64_t size[3] = {1, 1, 1};  // of the window; ksize, if the op has it
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  int64_t before[3] = {0, 0, 0}, after[3] = {0, 0, 0};  // explicit paddings
  // The size of the window and its strides and dilations in the batch and channel dimensions.
  int64_t batch_size = 1, channel_size = 1;
  int64_t batch_stride = 1, channel_stride = 1;
  int64_t batch_dilation = 1, channel_dilation = 1;

  // The axes of an image in a shape; spatial_axis is that of spatial dimension d.
  int batch_axis() const { return 0; }
  int channel_axis() const { return channels_first ? 1 : spatial + 1; }
  int spatial_axis(int d) const { return channels_first ? d + 2 : d + 1; }
  int rank() const { return spatial + 2; }
};

// Reads data_format, padding and explicit_paddings, and ksize, strides and dilations if they are
// attrs. `op` is the name of the op in messages.
// \error kInvalidArgument: an attr has too few or too many numbers, or an invalid number.
StatusOr<WindowAttrs> ParseWindow(const AttrMap& attrs, int spatial, std::string_view op);

// Sets ksize and strides for ops that take them as inputs.
// \error kInvalidArgument: see ParseWindow.
Status SetWindow(const Dims& ksize, const Dims& strides, WindowAttrs* window);

// The positions of a window along a dimension: how many there are, and the number of zeros before
// the first element.
struct WindowPositions {
  int64_t count = 0;
  int64_t before = 0;
};

// Positions a window of `size` elements along spatial dimension d of size `in`.
// \error kInvalidArgument: "Computed output size would be negative: -1 [...]"; a size is too large.
StatusOr<WindowPositions> PositionWindow(const WindowAttrs& window, int d, int64_t in,
                                         int64_t size);

// Returns the number of positions for shape inference; -1 if a size is unknown (-1).
// \error kInvalidArgument: "Negative dimension size caused by subtracting 3 from 2"; a size is too
//   large.
StatusOr<int64_t> InferPositions(const WindowAttrs& window, int d, int64_t in, int64_t size);

// Reports whether a data format has the channels before the spatial dimensions ("NC...").
bool IsChannelsFirst(std::string_view data_format);

}  // namespace ramet
