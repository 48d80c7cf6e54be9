#pragma once

#include <chrono>
#include <string>

#include "ramet/base/file.h"

namespace ramet::files {

// A FolderWatch waits until something happens in a folder, by file system notifications where they
// are supported. Not thread-safe, except for Stop.
class FolderWatch {
 public:
  explicit FolderWatch(std::string dir);
  // Waits for a notification, for at most `time`. Returns false once Stop has been called.
  bool Sleep(std::chrono::milliseconds time);
  // Ends current and future calls of Sleep.
  void Stop();

 private:
  void Watch();
  const std::string dir_;
  FileDescriptor notices_, stop_;
};

}  // namespace ramet::files
