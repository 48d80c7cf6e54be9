#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// An array of unsigned bytes in row-major order, as stored in an IDX file (docs/formats/idx.md).
struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;
};

// Parses the content of an IDX file, which is plain or gzipped (recognized by the first two bytes).
// Memory is allocated as bytes arrive, not according to the header. Messages contain `name` and the
// offset.
// \error kDataLoss: the magic number is wrong, the dimensions overflow, the content is shorter or
//   longer than the dimensions require, or the gzip stream is damaged.
// \error kUnimplemented: the elements are not unsigned bytes.
StatusOr<IdxArray> ParseIdx(std::string_view content, std::string_view name);

// Parses a regular file.
// \error as for ParseIdx and ReadRegularFile.
StatusOr<IdxArray> ReadIdx(const std::string& path);

}  // namespace ramet
