#pragma once

#include "ramet/base/status.h"

namespace ramet {

// The number of channels of colors in RGB or HSV.
inline constexpr int kRgbChannels = 3;

class GradientContext;

// The gradient function of RGBToHSV.
Status RgbToHsvGradient(GradientContext& c);

}  // namespace ramet
