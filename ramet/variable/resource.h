#pragma once

#include <string_view>

namespace ramet {

// A Resource is session state that kernels find by name, such as a variable or a queue.
class Resource {
 public:
  virtual ~Resource() = default;
  virtual std::string_view type_name() const = 0;
};

}  // namespace ramet
