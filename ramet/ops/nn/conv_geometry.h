#pragma once

#include "ramet/linalg/conv.h"
#include "ramet/ops/nn/window.h"

namespace ramet {

// What a convolution op is: the numbers of its attrs, and how its messages begin.
struct ConvAttrs {
  WindowAttrs window;
  bool depthwise = false;  // the filter is [height, width, channels, multiplier]
  std::string label;

  // \error as ParseWindow; kUnimplemented for strides in the batch or channel dimension.
  static StatusOr<ConvAttrs> Parse(const AttrMap& attrs, int spatial, bool depthwise,
                                   std::string_view label);
};

// The geometry of a convolution of an input of this shape with this filter, both of the right rank.
// \error kInvalidArgument if the numbers of channels do not fit, or the window is larger than the
// padded input.
StatusOr<linalg::ConvGeometry> ConvGeometryOf(const ConvAttrs& attrs, const Shape& input,
                                              const Shape& filter);

// The output's shape.
Shape ConvOutputShape(const ConvAttrs& attrs, const linalg::ConvGeometry& g);

// The geometry for a gradient: as ConvGeometryOf, and out_backprop has the output's shape.
StatusOr<linalg::ConvGeometry> BackpropGeometryOf(const ConvAttrs& attrs, const Shape& input,
                                                  const Shape& filter, const Shape& out_backprop);

// The shape functions: of the convolution, and of the gradient for input or filter, whose shape is
// the value of input 0 or 1.
Status ConvShape(ShapeContext& c, int spatial, bool depthwise);
Status ConvBackpropInputShape(ShapeContext& c, int spatial, bool depthwise);
Status ConvBackpropFilterShape(ShapeContext& c, int spatial);

}  // namespace ramet
