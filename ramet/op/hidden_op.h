#pragma once

#include <string_view>

#include "ramet/base/export.h"

namespace ramet {

// A HiddenOp keeps an op out of OpRegistry::All(), and so out of the documentation and the
// functions that clients offer. Graphs find the op by its name.
class RAMET_EXPORT HiddenOp {
 public:
  // Hides the op `name`. Called at startup.
  explicit HiddenOp(std::string_view name);
  // Reports whether the op `name` is hidden.
  static bool Contains(std::string_view name);
};

}  // namespace ramet
