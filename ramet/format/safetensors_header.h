#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/format/safetensors.h"

namespace ramet {

// The header of a safetensors file, a JSON object.
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

// Parses the JSON header, which starts at byte 8 of the file `path`. `data_bytes` bytes of tensors
// follow it.
// \error as SafetensorsReader::Open.
StatusOr<SafetensorsHeader> ParseSafetensorsHeader(const std::string& path, std::string_view json,
                                                   uint64_t data_bytes);

// Returns the JSON header, padded with spaces to a multiple of 8. `entries` must have their
// offsets.
std::string SafetensorsHeaderText(const SafetensorsHeader& header);

// Returns the name of a dtype in the format, such as "F32"; "" if it has none.
std::string_view SafetensorsTypeName(DType dtype);

}  // namespace ramet
