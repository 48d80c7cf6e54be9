#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace server {

// Which versions of a base path are served (ServableVersionPolicy).
struct VersionPolicy {
  enum class Kind : uint8_t { kLatest, kAll, kSpecific };
  Kind kind = Kind::kLatest;
  int num_versions = 1;                // kLatest
  std::vector<int64_t> versions = {};  // kSpecific
};

// The file to which a sample of a model's requests is logged (LoggingConfig).
struct LoggingConfig {
  std::string filename_prefix = {};
  double sampling_rate = 0;  // in [0, 1]
};

// The parameters of batching, with TensorFlow Serving's names and defaults (BatchingParameters).
struct BatchingParameters {
  int64_t max_batch_size = 1000;  // rows
  std::chrono::microseconds batch_timeout = std::chrono::microseconds(0);
  int64_t max_enqueued_batches = 10;  // per queue
  int num_batch_threads = 0;          // 0: one per processor
  std::string thread_pool_name = "batch_threads";
  std::vector<int64_t> allowed_batch_sizes = {};  // increasing; the last one is max_batch_size
  bool pad_variable_length_inputs = false;
  bool enable_large_batch_splitting = false;
  int64_t max_execution_batch_size = 0;  // 0: max_batch_size
};

// One model to serve. `source` is a base path with version folders, a SavedModel folder, the prefix
// of a checkpoint or its .meta file, a frozen graph, or an address such as "shm:policy@stable".
struct ModelConfig {
  std::string name = {};
  std::string source = {};
  VersionPolicy version_policy = {};
  std::map<std::string, int64_t> version_labels = {};
  std::optional<LoggingConfig> logging = {};
  std::optional<BatchingParameters> batching = {};  // empty: not batched
};

}  // namespace server
