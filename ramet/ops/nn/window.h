#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// A WindowAttrs is what the attrs of an op say that moves a window over an image: a convolution or
// a pooling op with two or three spatial dimensions. The arrays are by spatial dimension. A plain
// value.
struct WindowAttrs {
  enum class Padding : uint8_t { kValid, kSame, kExplicit };

  int spatial = 2;
  bool channels_first = false;
  Padding padding = Padding::kValid;
  int64_t size[3] = {1, 1, 1};  // of the window; ksize, where the op has it
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  int64_t before[3] = {0, 0, 0}, after[3] = {0, 0, 0};  // explicit paddings
  // Of the window, its strides and dilations in the batch and channel dimensions.
  int64_t batch_size = 1, channel_size = 1;
  int64_t batch_stride = 1, channel_stride = 1;
  int64_t batch_dilation = 1, channel_dilation = 1;

  // Where dimension d of the image stands in a shape.
  int batch_axis() const { return 0; }
  int channel_axis() const { return channels_first ? 1 : spatial + 1; }
  int spatial_axis(int d) const { return channels_first ? d + 2 : d + 1; }
  int rank() const { return spatial + 2; }
};

// Reads data_format, padding, explicit_paddings, and ksize, strides and dilations where they are
// attrs. `op` names the op in messages.
// \error kInvalidArgument if one has too few or too many numbers, or a number that makes no sense.
StatusOr<WindowAttrs> ParseWindow(const AttrMap& attrs, int spatial, std::string_view op);

// The same for ops that take ksize and strides as inputs. \error kInvalidArgument as ParseWindow.
Status SetWindow(const Dims& ksize, const Dims& strides, WindowAttrs* window);

// Where a window of `size` elements stands on a dimension: how often, and how many zeros are before
// the first element.
struct WindowPositions {
  int64_t count = 0;
  int64_t before = 0;
};

// \error kInvalidArgument "Computed output size would be negative: -1 [...]".
StatusOr<WindowPositions> PlaceWindow(const WindowAttrs& window, int d, int64_t in, int64_t size);

// The number of positions while building; -1 if a size is unknown (-1).
// \error kInvalidArgument "Negative dimension size caused by subtracting 3 from 2".
StatusOr<int64_t> InferPositions(const WindowAttrs& window, int d, int64_t in, int64_t size);

// The data format's name of an image with these axes, and back.
bool IsChannelsFirst(std::string_view data_format);

}  // namespace ramet
