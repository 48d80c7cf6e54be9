#pragma once

#include <string>

#include "random.h"

// JSON of hostile content, as writers of the formats would not make it.
namespace ramet::fuzz {

// The string as JSON, some characters escaped without need.
std::string JsonString(Random& random, const std::string& text);
// A number: mostly `right`, else one that is negative, huge, a fraction, or none.
std::string JsonNumber(Random& random, int64_t right, int lies_percent);
// Any value: also deep lists and objects, and long numbers.
std::string JsonValue(Random& random);

}  // namespace ramet::fuzz
