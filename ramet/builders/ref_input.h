#pragma once

#include "ramet/graph/graph.h"

namespace ramet {

// What a builder function takes where an op changes a variable: the Variable (its reference
// output), or a reference output itself.
class RAMET_EXPORT RefInput {
 public:
  RefInput(Output output) : output_(output) {}  // NOLINT: implicit on purpose
  RefInput(const Variable& variable)            // NOLINT
      : output_(variable.valid() ? variable.ref() : Output()) {}
  const Output& output() const { return output_; }

 private:
  Output output_;
};

}  // namespace ramet
