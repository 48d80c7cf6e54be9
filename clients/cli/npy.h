#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

namespace cli {

// Reads and writes arrays in NumPy's .npy format (numpy/lib/format.py): format versions 1.0 to 3.0,
// C order, little endian, with bool, signed and unsigned integers, half, float, double and complex
// numbers.

// Reads the array in a file.
// \error kNotFound, kPermissionDenied: the file cannot be opened.
// \error kDataLoss: the file is damaged, truncated, or continues after the array; the message names
//   file and offset.
// \error kUnimplemented: the dtype, order or version is not supported; the message names the NumPy
//   call that helps.
ramet::StatusOr<ramet::Tensor> ReadNpy(const std::string& path);

// Replaces the file.
// \error kUnimplemented: NumPy has no such dtype (string, bfloat16, ...).
// \error kUnknown: the file cannot be written.
ramet::Status WriteNpy(const std::string& path, const ramet::Tensor& tensor);

// The functions below are for .npz files, whose members are .npy files.

// The header of a .npy file.
struct NpyHeader {
  ramet::DType dtype = ramet::DType::kInvalid;
  ramet::Shape shape;
  size_t data_at = 0;  // offset of the array data
  size_t data_bytes = 0;
};
// The number of bytes that NpyHeaderEnd needs.
inline constexpr size_t kNpyStart = 12;
// Returns the offset where the header ends in a file that starts with these kNpyStart bytes.
uint64_t NpyHeaderEnd(std::string_view start);
// Parses a header. `bytes` is the file from its start to at least the end of the header; `path` is
// for messages.
// \error as for ReadNpy.
ramet::StatusOr<NpyHeader> ParseNpyHeader(const std::string& path, std::string_view bytes);
// Checks that all bytes of a bool array are 0 or 1.
// \error kDataLoss: one is not.
ramet::Status CheckNpyBools(const std::string& path, const NpyHeader& header,
                            const ramet::Tensor& tensor);
// Returns the bytes of a file up to the array data.
// \error kUnimplemented: as WriteNpy.
ramet::StatusOr<std::string> NpyHeaderText(const std::string& path, ramet::DType dtype,
                                           const ramet::Shape& shape);

}  // namespace cli
