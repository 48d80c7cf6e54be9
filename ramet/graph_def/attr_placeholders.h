#pragma once

#include "ramet/wire/attr_proto.h"

namespace ramet {

// Replaces the placeholders in an attr of a function's node by `values`, the attrs that the
// function was instantiated with. The attr may name functions, in whose attrs they are replaced,
// too.
// \error kInvalidArgument: a placeholder has no value, or functions are nested too deeply.
Status ReplacePlaceholders(const AttrProtoMap& values, AttrValue* value);

}  // namespace ramet
