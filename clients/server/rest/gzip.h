#pragma once

#include <ramet/ramet.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace server {

// TensorFlow Serving's limit for the bodies of requests.
inline constexpr size_t kMaxInflatedBytes = 100 << 20;

// Inflates the members of a gzip file, or zlib data.
// \error kInvalidArgument: the text is malformed or cut off, or has more than `max_bytes`.
ramet::StatusOr<std::string> Inflate(std::string_view text, size_t max_bytes = kMaxInflatedBytes);

// Returns the text as a gzip file, compressed quickly.
std::string Deflate(std::string_view text);

}  // namespace server
