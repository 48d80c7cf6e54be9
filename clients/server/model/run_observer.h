#pragma once

#include <chrono>
#include <functional>

namespace server {

// Receives the time of each successful run of a graph, for the metrics.
using RunObserver = std::function<void(std::chrono::nanoseconds time)>;

}  // namespace server
