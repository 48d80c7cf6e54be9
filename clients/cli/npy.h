#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

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

// For .npz files, whose members are .npy files.

// What stands before the array.
struct NpyHeader {
  ramet::DType dtype = ramet::DType::kInvalid;
  ramet::Shape shape;
  size_t data_at = 0;  // offset of the array
  size_t data_bytes = 0;
};
// So many bytes say where the header ends.
inline constexpr size_t kNpyStart = 12;
// The offset behind the header of a file that starts with these kNpyStart bytes.
uint64_t NpyHeaderEnd(std::string_view start);
// `bytes` is the file from its start to the end of the header or further. \error as ReadNpy.
ramet::StatusOr<NpyHeader> ParseNpyHeader(const std::string& path, std::string_view bytes);
// \error kDataLoss if an element of a bool array is neither 0 nor 1.
ramet::Status CheckNpyBools(const std::string& path, const NpyHeader& header,
                            const ramet::Tensor& tensor);
// All that stands before the array. \error kUnimplemented as WriteNpy.
ramet::StatusOr<std::string> NpyHeaderText(const std::string& path, ramet::DType dtype,
                                           const ramet::Shape& shape);

}  // namespace cli
