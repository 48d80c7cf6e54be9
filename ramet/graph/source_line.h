#pragma once

#include <string>
#include <string_view>

#include "ramet/base/source_location.h"
#include "ramet/base/strings.h"

namespace ramet {

// Returns "file:line" without the folder, for messages.
inline std::string SourceLine(const SourceLocation& where) {
  const std::string_view file = where.file_name();
  return StrCat(file.substr(file.rfind('/') + 1), ":", where.line());
}

}  // namespace ramet
