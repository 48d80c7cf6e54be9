#pragma once

#include <string>
#include <string_view>

#include "ramet/base/file.h"

namespace ramet {

// A PinnedFolder is an open folder. Paths through it lead to the same folder as long as this object
// exists, even if the folder is renamed and a link takes its place. They begin with the open
// descriptor ("/proc/self/fd/7/model.index"), so every function of file.h and folder.h accepts
// them. Messages and results show them, until Original replaces them.
class PinnedFolder {
 public:
  // Opens the folder that contains `path`. If that is impossible, or if the system has no /proc,
  // Pin returns paths unchanged.
  explicit PinnedFolder(std::string_view path);

  // Returns `path` as a path through this folder, or unchanged if it is not directly in the folder.
  std::string Pin(const std::string& path) const;
  // Returns `text` with paths through this folder replaced by the original ones.
  std::string Original(std::string_view text) const;
  Status Original(const Status& status) const;

 private:
  std::string head_;    // the text before the names: "folder/", or "" for the working folder
  std::string folder_;  // the same without slashes at its end
  FileDescriptor fd_;
  std::string through_;  // "/proc/self/fd/7"; empty if the folder is not open
};

}  // namespace ramet
