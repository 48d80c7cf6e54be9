#pragma once

#include <chrono>
#include <string>

#include "ramet/base/file.h"

namespace ramet::files {

// Waits until something happens in a folder: by the file system's notices where it sends some. One
// thread at a time but for Stop.
class FolderWatch {
 public:
  explicit FolderWatch(std::string dir);
  // Waits for a notice, for `most` at most. False once Stop was called.
  bool Sleep(std::chrono::milliseconds most);
  // Ends Sleep, now and later.
  void Stop();

 private:
  void Watch();
  const std::string dir_;
  FileDescriptor notices_, stop_;
};

}  // namespace ramet::files
