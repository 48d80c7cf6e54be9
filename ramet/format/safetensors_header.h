#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/format/safetensors.h"

namespace ramet {

// The header of a safetensors file: a JSON object.
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

// Reads the header's JSON, which stands at byte 8 of the file `path`, before `data_bytes` bytes of
// tensors. \error as SafetensorsReader::Open.
StatusOr<SafetensorsHeader> ParseSafetensorsHeader(const std::string& path, std::string_view json,
                                                   uint64_t data_bytes);

// The header's JSON, with blanks at the end up to a multiple of 8. `entries` have their bytes.
std::string SafetensorsHeaderText(const SafetensorsHeader& header);

// "F32"; "" for dtypes that the format does not have.
std::string_view SafetensorsTypeName(DType dtype);

}  // namespace ramet
