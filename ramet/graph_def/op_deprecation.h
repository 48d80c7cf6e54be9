#pragma once

#include <string_view>

namespace ramet {

// The GraphDef producer version from which on an op is rejected (OpDeprecation).
struct DeprecatedOp {
  std::string_view op;
  int version;
  std::string_view explanation;
};

// Returns TensorFlow 2.21's deprecation of an op, or nullptr if it is not deprecated.
const DeprecatedOp* FindDeprecation(std::string_view op);

}  // namespace ramet
