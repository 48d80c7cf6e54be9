#pragma once

#include "ramet/linalg/conv.h"
#include "ramet/ops/nn/window.h"

namespace ramet {

// A convolution op: the values of its attrs, and the prefix of its messages.
struct ConvAttrs {
  WindowAttrs window;
  bool depthwise = false;  // the filter is [height, width, channels, multiplier]
  std::string label;

  // \error kInvalidArgument: see ParseWindow.
  // \error kUnimplemented: strides or dilations in the batch or channel dimension.
  static StatusOr<ConvAttrs> Parse(const AttrMap& attrs, int spatial, bool depthwise,
                                   std::string_view label);
};

// Returns the geometry of a convolution of an input of this shape with this filter, both of the
// right rank.
// \error kInvalidArgument: the numbers of channels do not fit together, or the window is larger
//   than the padded input.
StatusOr<linalg::ConvGeometry> ConvGeometryOf(const ConvAttrs& attrs, const Shape& input,
                                              const Shape& filter);

// Returns the shape of the output.
Shape ConvOutputShape(const ConvAttrs& attrs, const linalg::ConvGeometry& g);

// Returns the geometry for a gradient, like ConvGeometryOf.
// \error kInvalidArgument: also if out_backprop does not have the shape of the output.
StatusOr<linalg::ConvGeometry> BackpropGeometryOf(const ConvAttrs& attrs, const Shape& input,
                                                  const Shape& filter, const Shape& out_backprop);

// The shape functions of the convolution, and of the gradients for input and filter, whose shapes
// are the values of input 0 and input 1.
Status ConvShape(ShapeContext& c, int spatial, bool depthwise);
Status ConvBackpropInputShape(ShapeContext& c, int spatial, bool depthwise);
Status ConvBackpropFilterShape(ShapeContext& c, int spatial);

}  // namespace ramet
