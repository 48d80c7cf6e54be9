#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet::conformance {

// A Json is a value of a JSON text (RFC 8259), restricted to the features used by case files: no \u
// escapes above 0x7F. Numbers are kept as text.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;                // for a number or a string
  std::vector<Json> items;         // elements of an array, or members of an object
  std::vector<std::string> names;  // names of the members

  // \error kInvalidArgument: the text is not JSON. Contains the offset.
  static StatusOr<Json> Parse(std::string_view text);

  // Returns the member of this name, or nullptr.
  const Json* Find(std::string_view name) const;
};

}  // namespace ramet::conformance
