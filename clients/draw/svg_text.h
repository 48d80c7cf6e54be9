#pragma once

#include <string>

namespace draw {

// Escapes text for XML. Characters that XML cannot represent become '?'.
std::string Xml(const std::string& text);

// Returns a coordinate with one digit after the point.
std::string Fixed(double v);

}  // namespace draw
