#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

#include "model/model_spec.h"

namespace server {

// The answers that a request under /v1/ can ask for.
enum class RestVerb : uint8_t { kList, kStatus, kMetadata, kPredict, kClassify, kRegress };

struct RestAddress {
  RestVerb verb = RestVerb::kStatus;
  ModelSpec spec = {};
};

// Parses the method and the target of a request under /v1/. The query of a status is ignored.
// \error kInvalidArgument: "Malformed request: METHOD /path".
ramet::StatusOr<RestAddress> ParseRestAddress(std::string_view method, std::string_view target);

// Decodes %XX. Malformed sequences stay as they are.
std::string DecodePercent(std::string_view text);
// Parses decimal digits. Returns false if there is something else or the number is above int64.
bool ParseDigits(std::string_view text, int64_t* number);

}  // namespace server
