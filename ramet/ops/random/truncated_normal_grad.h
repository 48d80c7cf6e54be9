#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// The gradient of StatelessParameterizedTruncatedNormal: derivatives of the samples by the
// parameters, by implicit differentiation of the distribution function.
// Source: Figurnov et al., "Implicit reparameterization gradients".
Status TruncatedNormalGradient(GradientContext& c);

}  // namespace ramet
