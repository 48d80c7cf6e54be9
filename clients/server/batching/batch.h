#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "batching/batch_tensors.h"
#include "config/server_config.h"
#include "model/model_version.h"

namespace server {

// A request, or a part of one, that waits in a queue.
struct BatchTask {
  Rows feeds = {};
  int64_t rows = 0;
  RunLimits limits = {};
  RunDone done = {};
};

// Requests that run together.
struct Batch {
  std::vector<BatchTask> tasks = {};
  int64_t rows = 0;
  // When the first one came. Empty if it did not have to wait.
  std::optional<std::chrono::steady_clock::time_point> since = {};
  int64_t waiting = 0;  // requests behind it in its queue when it was taken
};

// BatchingParameters as the queues use them.
struct BatchLimits {
  explicit BatchLimits(const BatchingParameters& p)
      : max_request_rows(p.max_batch_size),
        max_batch_rows(p.enable_large_batch_splitting && p.max_execution_batch_size > 0
                           ? p.max_execution_batch_size
                           : p.max_batch_size),
        max_waiting(p.max_enqueued_batches),
        wait(p.batch_timeout),
        allowed(p.allowed_batch_sizes),
        pads(p.pad_variable_length_inputs),
        splits(p.enable_large_batch_splitting) {}

  // Returns the smallest allowed number of rows for a batch.
  int64_t AllowedRows(int64_t rows) const {
    for (const int64_t size : allowed) {
      if (size >= rows) return size;
    }
    return rows;
  }

  int64_t max_request_rows;
  int64_t max_batch_rows;
  int64_t max_waiting;  // batches
  std::chrono::microseconds wait;
  std::vector<int64_t> allowed;
  bool pads;
  bool splits;
};

}  // namespace server
