#pragma once

#include "ramet/op/schema.h"
#include "random.h"

namespace ramet::fuzz {

// The shares of hostile and of default values among drawn attrs.
struct AttrStyle {
  int hostile_percent = 10;  // of the numbers
  int default_percent = 50;  // of the attrs that have a default value
};

// A value for one attr of the op: of its kind, and mostly one that the definition allows.
Attr DrawAttr(Random& random, const OpSchema& schema, const AttrSchema& attr,
              const AttrStyle& style);
// All attrs of a node of this op. `dtype` is taken for each type attr that allows it, so that
// inputs fit each other.
AttrMap DrawAttrs(Random& random, const OpSchema& schema, DType dtype, const AttrStyle& style);
// A dtype that an op of this kind takes.
DType DrawDType(Random& random, const std::vector<DType>& allowed);

}  // namespace ramet::fuzz
