#pragma once

#include <ramet/ramet.h>

#include <string>

namespace ramet::zoo {

// What is wrong with `got`, "" if nothing: the dtype and shape must be those of `expected`;
// floating and complex elements within atol + rtol * |expected|, NaN being NaN and infinities
// equal; all other elements equal.
std::string Difference(const Tensor& got, const Tensor& expected, double rtol, double atol);

}  // namespace ramet::zoo
