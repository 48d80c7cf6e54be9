#pragma once

#include <algorithm>
#include <thread>

namespace server {

// Returns the number of processors, at least 1.
inline int Processors() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// The number of threads that may serve requests unless an option says otherwise.
inline int DefaultThreads() { return 4 * Processors(); }

}  // namespace server
