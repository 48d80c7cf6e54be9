#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace server {

// Describes a batch that is about to run, for the metrics.
struct BatchEvent {
  int64_t requests = 0;
  int64_t rows = 0;
  int64_t padded_rows = 0;              // an allowed size
  std::chrono::microseconds waited{0};  // of the oldest request
  int64_t waiting = 0;                  // requests behind it in its queue
};
using BatchObserver = std::function<void(const BatchEvent&)>;

}  // namespace server
