#pragma once

#include <string_view>

namespace ramet {

// From which version of a GraphDef's producer on an op is refused (OpDeprecation).
struct DeprecatedOp {
  std::string_view op;
  int version;
  std::string_view explanation;
};

// What TensorFlow 2.21 says of an op; nullptr if it is not deprecated.
const DeprecatedOp* FindDeprecation(std::string_view op);

}  // namespace ramet
