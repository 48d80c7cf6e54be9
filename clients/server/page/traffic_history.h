#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "metrics/serving_metrics.h"
#include "model/model_manager.h"

namespace server {

// The traffic of one model within one second.
struct TrafficSample {
  float requests = 0;  // that succeeded
  float errors = 0;
  float p50 = 0, p90 = 0, p99 = 0;  // of their latencies, in microseconds; 0 without requests
  float queue = 0;                  // requests that wait for a batch
  float lag = 0;                    // versions behind the publisher
};

// A TrafficHistory samples the metrics once per second in a thread of its own and keeps the last
// kSeconds. Thread-safe.
class TrafficHistory {
 public:
  static constexpr size_t kSeconds = 300;

  // The pointers must outlive this object.
  TrafficHistory(const ModelManager* manager, const ServingMetrics* metrics);
  ~TrafficHistory();
  TrafficHistory(const TrafficHistory&) = delete;
  TrafficHistory& operator=(const TrafficHistory&) = delete;

  // Adds a sample of the time since the last one. The thread calls it; tests may, too.
  void Sample() RAMET_EXCLUDES(mutex_);
  // Returns the samples of a model, oldest first; none if it is unknown.
  std::vector<TrafficSample> SamplesOf(const std::string& model) const RAMET_EXCLUDES(mutex_);
  // Returns the bytes of the process in memory at each sample, oldest first.
  std::vector<uint64_t> Memory() const RAMET_EXCLUDES(mutex_);

 private:
  // The counts of one model since the start.
  struct Totals {
    std::vector<double> bounds = {};  // of the buckets of `latencies`
    std::vector<uint64_t> latencies = {};
    uint64_t errors = 0;
  };
  struct Model {
    Totals before = {};
    std::deque<TrafficSample> samples = {};
  };

  void Run() RAMET_EXCLUDES(mutex_);
  std::map<std::string, Totals> CountAll() const;

  const ModelManager* const manager_;
  const ServingMetrics* const metrics_;
  mutable ramet::Mutex mutex_;
  ramet::CondVar stopped_;
  bool stop_ RAMET_GUARDED_BY(mutex_) = false;
  std::map<std::string, Model> models_ RAMET_GUARDED_BY(mutex_);
  std::deque<uint64_t> memory_ RAMET_GUARDED_BY(mutex_);
  std::thread thread_;
};

// Returns the bytes of this process in memory.
uint64_t ResidentBytes();

}  // namespace server
