#pragma once

#include <ramet/ramet.h>

#include <string>

namespace ramet::zoo {

// Describes the difference between `got` and `expected`; "" if there is none. Dtype and shape must
// be equal. Floating and complex elements must be within atol + rtol * |expected|, where NaN equals
// NaN and infinities must be equal. All other elements must be equal.
std::string Difference(const Tensor& got, const Tensor& expected, double rtol, double atol);

}  // namespace ramet::zoo
