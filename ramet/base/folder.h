#pragma once

#include <string>
#include <vector>

#include "ramet/base/status.h"

// Folders and the names in them. Errors are those of file.h.
namespace ramet {

bool FileExists(const std::string& path);
bool IsDirectory(const std::string& path);
Status RemoveFile(const std::string& path);
// Removes an empty folder.
// \error kFailedPrecondition: it is not empty.
Status RemoveDir(const std::string& path);
// Renames a file, replacing `to` atomically.
Status RenameFile(const std::string& from, const std::string& to);
// Creates one folder.
// \error kAlreadyExists: something has that name.
// \error kNotFound: the parent is missing.
Status CreateDir(const std::string& path);
// Creates a folder and its missing parents. An existing folder is not an error.
Status CreateDirs(const std::string& path);
// Returns the names (not paths) in a folder, sorted, without "." and "..".
StatusOr<std::vector<std::string>> ListDir(const std::string& path);
// Returns the paths that match a shell pattern (*, ?, [a-z], backslash escapes), sorted. No match
// is not an error. Only '.' matches a leading '.' of a name.
StatusOr<std::vector<std::string>> Glob(const std::string& pattern);

}  // namespace ramet
