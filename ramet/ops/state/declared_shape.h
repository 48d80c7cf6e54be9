#pragma once

#include <optional>

#include "ramet/op/kernel.h"

namespace ramet {

// The shape that a variable's node was made with, which its first value must have. The first node
// of a variable decides, as with its name. Kept in the session's resources beside the variable.
void DeclareShape(ResourceStore& resources, const VariableState& variable, const Shape& shape);
// Nothing if no node of the variable has run.
std::optional<Shape> DeclaredShape(const ResourceStore& resources, const VariableState& variable);

}  // namespace ramet
