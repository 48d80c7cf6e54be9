#pragma once

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/graph/graph.h"

namespace ramet {

// The RestoredNames of a session are the variables that a Saver has restored. The session
// warns about initializers that would overwrite them. Thread-safe.
class RestoredNames {
 public:
  void Add(const std::vector<std::string>& names) RAMET_EXCLUDES(mutex_);
  // Warns, once, if `initialized`, whose initializers a run is about to run, has restored
  // variables.
  void WarnAbout(const Graph& graph, const std::vector<VariableId>& initialized)
      RAMET_EXCLUDES(mutex_);

 private:
  std::atomic<bool> any_ = false;
  Mutex mutex_;
  std::set<std::string> names_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
