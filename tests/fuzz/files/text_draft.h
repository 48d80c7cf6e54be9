#pragma once

#include <string>

#include "random.h"

// Draws JSON text, some of it hostile and unlike what the writers of the formats produce.
namespace ramet::fuzz {

// Returns the string as JSON, with some unnecessary escapes.
std::string JsonString(Random& random, const std::string& text);
// Draws a number: usually `right`, otherwise negative, huge, a fraction, or not a number.
std::string JsonNumber(Random& random, int64_t right, int lies_percent);
// Draws any value, including deep lists and objects, and long numbers.
std::string JsonValue(Random& random);

}  // namespace ramet::fuzz
