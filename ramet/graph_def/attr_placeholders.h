#pragma once

#include "ramet/wire/attr_proto.h"

namespace ramet {

// Replaces the placeholders in an attr of a function's node, also in the attrs of the functions
// that it names, by the attrs that the function was instantiated with.
// \error kInvalidArgument: a placeholder has no value, or functions are nested too deeply.
Status ReplacePlaceholders(const AttrProtoMap& values, AttrValue* value);

}  // namespace ramet
