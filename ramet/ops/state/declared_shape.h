#pragma once

#include <optional>

#include "ramet/op/kernel.h"

namespace ramet {

// Records the shape with which the node of a variable was created, which its first value must have.
// The first node of a variable decides, as it does for its name. Stored in the session's resources
// next to the variable.
void DeclareShape(ResourceStore& resources, const VariableState& variable, const Shape& shape);
// Returns the recorded shape, or nothing if no node of the variable has run.
std::optional<Shape> DeclaredShape(const ResourceStore& resources, const VariableState& variable);

}  // namespace ramet
