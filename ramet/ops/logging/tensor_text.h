#pragma once

#include <cstdint>
#include <string>

#include "ramet/tensor/tensor.h"

namespace ramet {

// Returns the first `limit` elements of a tensor (-1: all) in the brackets of its dimensions, as
// Print and Assert show them: "1 2 3...", "[1.5 2][3...]...". Strings are escaped but not quoted.
// For dtypes other than strings, bools and real numbers, "?" stands for each element, without inner
// brackets.
std::string HeadText(const Tensor& t, int64_t limit);

// Returns the first and last `edge` elements of each dimension (all if negative), as tf.print shows
// them: "[0 1 ... 8 9]", with one line per row. Strings are quoted and escaped.
std::string EdgesText(const Tensor& t, int64_t edge);

}  // namespace ramet
