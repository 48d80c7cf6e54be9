#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu {

// A CompileCache compiles programs and keeps the results in a folder, so that a later process
// compiles nothing. An entry is found by a hash of the source, the options, the device and the
// driver's version. Thread-safe; several processes may share the folder. An entry that is damaged,
// or that the driver refuses, is compiled again and replaced.
class CompileCache {
 public:
  // Entries are kept until the folder exceeds this; then those that were not used for the longest
  // time are removed.
  static constexpr uint64_t kMaxFolderBytes = uint64_t{256} << 20;

  // Uses `folder`, creating it when the first entry is written; "" keeps nothing.
  explicit CompileCache(std::string folder, uint64_t max_bytes = kMaxFolderBytes);
  // Returns the folder for this user: RAMET_GPU_CACHE (which may be "" for none), else ramet/gpu in
  // XDG_CACHE_HOME or ~/.cache. Returns "" if none of these is set.
  static std::string DefaultFolder();

  // Returns the module of a program, from the cache if it is there.
  // \error as DriverDevice::Compile.
  StatusOr<std::unique_ptr<DriverModule>> Compile(DriverDevice& device, const std::string& source,
                                                  const std::string& options);

  struct Counts {
    int64_t loaded = 0;    // from the folder
    int64_t compiled = 0;  // by the driver
  };
  Counts counts() const;

  // The entries of a folder.
  struct FolderUsage {
    int64_t entries = 0;
    uint64_t bytes = 0;
  };
  // Returns the entries of `folder`; none if the folder does not exist.
  // \error as ListDir.
  static StatusOr<FolderUsage> UsageOf(const std::string& folder);
  // Removes the entries of `folder` and the temporary files that a process left there when it was
  // killed; other files stay. Other processes may use the folder: they compile what they miss.
  // Returns what was removed.
  // \error as ListDir and RemoveFile.
  static StatusOr<FolderUsage> Clear(const std::string& folder);

 private:
  std::unique_ptr<DriverModule> Load(DriverDevice& device, const std::string& path,
                                     const std::string& options);
  void Store(const DriverModule& module, const std::string& path);
  void RemoveOldEntries();

  const std::string folder_;
  const uint64_t max_bytes_;
  mutable Mutex mutex_;
  Counts counts_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::gpu
