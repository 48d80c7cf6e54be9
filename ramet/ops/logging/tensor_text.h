#pragma once

#include <cstdint>
#include <string>

#include "ramet/tensor/tensor.h"

namespace ramet {

// The first `limit` elements of a tensor in the brackets of its dimensions, as Print and Assert
// show it: "1 2 3...", "[1.5 2][3...]..."; -1: all. Strings are escaped, not quoted. Of other
// dtypes than strings, bools and real numbers "?" stands for each element, without inner brackets.
std::string HeadText(const Tensor& t, int64_t limit);

// The first and last `edge` elements of each dimension, as tf.print shows it: "[0 1 ... 8 9]", a
// line for each row; a negative edge: all. Strings are quoted and escaped.
std::string EdgesText(const Tensor& t, int64_t edge);

}  // namespace ramet
