#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// An array of unsigned bytes in row-major order, as an IDX file holds it (docs/formats/idx.md).
struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;
};

// Parses the content of an IDX file, plain or gzipped (told apart by the first two bytes). `name`
// stands in the messages. Memory is taken as bytes turn up, never for what a header promises.
// \error kDataLoss if the magic is wrong, the dimensions overflow, the content is shorter or longer
// than
//   they say, or the gzip stream is damaged; kUnimplemented if the elements are no unsigned bytes.
//   The message names the file and the offset.
StatusOr<IdxArray> ParseIdx(std::string_view content, std::string_view name);

// ParseIdx of a file. \error those of ReadFile too.
StatusOr<IdxArray> ReadIdx(const std::string& path);

}  // namespace ramet
