#pragma once

#include <ramet/ramet.h>

#include <string>

namespace cli {

// Arrays in NumPy's .npy files (numpy/lib/format.py): format versions 1.0 to 3.0, C order, little
// endian, bool, signed and unsigned integers, half, float, double and complex numbers.

// \error kNotFound, kPermissionDenied if the file cannot be opened; kDataLoss naming file and
// offset if
//   it is damaged, ends early or goes on behind the array; kUnimplemented for other dtypes, orders
//   and versions, with the NumPy call that helps.
ramet::StatusOr<ramet::Tensor> ReadNpy(const std::string& path);

// Replaces the file. \error kUnimplemented if NumPy has no such dtype (string, bfloat16, ...);
// kUnknown
//   if the file cannot be written.
ramet::Status WriteNpy(const std::string& path, const ramet::Tensor& tensor);

}  // namespace cli
