#pragma once

#include "ramet/gradients/gradient_context.h"

// The gradient functions of Fourier transforms.

namespace ramet {

// For transforms over the last `rank` dimensions. `opposite` is the op in the other direction.
Status FftGradient(GradientContext& c, int rank, const char* opposite);
Status IfftGradient(GradientContext& c, int rank, const char* opposite);

Status RfftGradient(GradientContext& c);
Status Rfft2dGradient(GradientContext& c);
// For a rank of 1 or 2; `opposite` is RFFT or RFFT2D.
Status IrfftGradient(GradientContext& c, int rank, const char* opposite);

}  // namespace ramet
