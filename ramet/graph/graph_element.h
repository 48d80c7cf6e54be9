#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// A GraphElement is a part of a graph: a tensor, an operation, a variable, or the name of a tensor
// or operation ("out:0", "init"). A variable stands for its value where a tensor is expected.
class RAMET_EXPORT GraphElement {
 public:
  using Element = std::variant<Output, Operation, Variable, std::string>;
  GraphElement(Output tensor) : element_(tensor) {}                     // NOLINT: implicit
  GraphElement(Operation operation) : element_(operation) {}            // NOLINT
  GraphElement(const Variable& variable) : element_(variable) {}        // NOLINT
  GraphElement(const char* name) : element_(std::string(name)) {}       // NOLINT
  GraphElement(std::string name) : element_(std::move(name)) {}         // NOLINT
  GraphElement(std::string_view name) : element_(std::string(name)) {}  // NOLINT
  const Element& element() const { return element_; }

 private:
  Element element_;
};

}  // namespace ramet
