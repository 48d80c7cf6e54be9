#pragma once

#include "ramet/op/schema.h"
#include "random.h"

namespace ramet::fuzz {

// The percentages of hostile and of default values among drawn attrs.
struct AttrStyle {
  int hostile_percent = 10;  // of numbers
  int default_percent = 50;  // of attrs with a default value
};

// Draws a value for one attr of the op: of its kind, and usually one that the definition allows.
Attr DrawAttr(Random& random, const OpSchema& schema, const AttrSchema& attr,
              const AttrStyle& style);
// Draws all attrs of a node of this op. Each type attr that allows `dtype` gets it, so that inputs
// match.
AttrMap DrawAttrs(Random& random, const OpSchema& schema, DType dtype, const AttrStyle& style);
// Draws a dtype out of `allowed`, or any if that is empty.
DType DrawDType(Random& random, const std::vector<DType>& allowed);

}  // namespace ramet::fuzz
