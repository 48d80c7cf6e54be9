#pragma once

#include <cstdint>

// Internal to linalg: arguments of the loops of batch normalization.

namespace ramet::linalg {

// `rows` rows of n elements. Parameters are one per column (channels last), or one for all columns
// if by_column is false.
struct NormArgs {
  const float* x = nullptr;
  const float* dy = nullptr;
  float* y = nullptr;
  int64_t rows = 0;
  int64_t n = 0;
  bool by_column = false;
  const float* mean = nullptr;
  const float* factor = nullptr;
  const float* shift = nullptr;     // added to y
  const float* dy_mean = nullptr;   // subtracted from dy; 0 unless training
  const float* dy_slope = nullptr;  // times x - mean, subtracted from dy; 0 unless training
};

}  // namespace ramet::linalg
