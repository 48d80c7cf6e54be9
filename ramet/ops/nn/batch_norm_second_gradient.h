#pragma once

#include "ramet/op/op.h"

namespace ramet {

// Adds the gradient of FusedBatchNormGrad, in any of its versions, for y_backprop, x and scale.
// Based on TensorFlow's _FusedBatchNormGradGrad, in closed form.
Status BatchNormSecondGradient(GradientContext& c);

}  // namespace ramet
