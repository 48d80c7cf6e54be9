#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet::conformance {

// A Json is one value of a JSON text (RFC 8259), as far as the files of cases use it: no \u escapes
// above 0x7F. Numbers are kept as they are written. A value type.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;                // of a number or a string
  std::vector<Json> items;         // of an array, or the members of an object
  std::vector<std::string> names;  // of the members

  // \error kInvalidArgument with the offset at which the text is no JSON.
  static StatusOr<Json> Parse(std::string_view text);

  // The member of that name, or nullptr.
  const Json* Find(std::string_view name) const;
};

}  // namespace ramet::conformance
