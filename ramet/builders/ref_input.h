#pragma once

#include "ramet/graph/graph.h"

namespace ramet {

// A RefInput is an argument of a builder function whose op changes a variable: the Variable (its
// reference output), or a reference output itself.
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
