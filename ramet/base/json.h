#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

using Json = nlohmann::json;

// The library copies, compares and prints values recursively. ParseJson limits the nesting depth,
// so that this is safe on its values.
inline constexpr int kMaxJsonDepth = 64;

// Parses text from a file or a peer.
// \error kInvalidArgument: the text is not JSON or is nested deeper than kMaxJsonDepth.
RAMET_EXPORT StatusOr<Json> ParseJson(std::string_view text);

// Prints a value from ParseJson, or one composed of such values, on one line or with `indent`
// spaces per level. Bytes that are not UTF-8 become U+FFFD.
RAMET_EXPORT std::string PrintJson(const Json& json, int indent = -1);

}  // namespace ramet
