#pragma once

#include <string>
#include <string_view>

#include "ramet/base/status.h"

// Functions on the text of paths. They do not access the file system.
namespace ramet {

// Checks a path. All functions of file.h and folder.h call it.
// \error kInvalidArgument: the path has a NUL byte, which would make the kernel use a different
//   file.
Status CheckPath(const std::string& path);

// Returns "PATH.tempstate<random number>", the name of a file that will be renamed to PATH.
std::string TemporaryPath(std::string_view path);

// Split and join paths like Python's os.path: Basename("a/b") is "b", Basename("a/") is "",
// Dirname("a/b") is "a", Dirname("b") is "", Dirname("/b") is "/". JoinPath puts one '/' between
// the parts, unless the second is absolute, which is then the result, or the first is empty.
std::string_view Basename(std::string_view path);
std::string_view Dirname(std::string_view path);
std::string JoinPath(std::string_view a, std::string_view b);
inline bool IsAbsolutePath(std::string_view path) { return path.starts_with('/'); }

}  // namespace ramet
