#pragma once

#include <cstdint>

// Internal to linalg: what the loops of batch normalization work on.

namespace ramet::linalg {

// `rows` rows of n elements. The numbers of a channel lie side by side and are one for each column
// (channels last), or one for all of them (by_column is false).
struct NormArgs {
  const float* x = nullptr;
  const float* dy = nullptr;
  float* y = nullptr;
  int64_t rows = 0;
  int64_t n = 0;
  bool by_column = false;
  const float* mean = nullptr;
  const float* factor = nullptr;
  const float* shift = nullptr;   // of y
  const float* moved = nullptr;   // what is taken from dy in each element
  const float* tilted = nullptr;  // and for each unit of x - mean
};

}  // namespace ramet::linalg
