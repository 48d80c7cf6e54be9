#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <optional>
#include <string>

#include "metrics/metrics.h"
#include "model/model_manager.h"

namespace server {

// One request to an API, as the metrics count it.
struct RequestRecord {
  std::string model_name = {};  // empty: unknown, so that clients cannot make series
  std::string api = {};         // REST: "predict", ""; gRPC: "Predict"; V2: "infer", "ModelInfer"
  std::string entrypoint = {};  // "REST" or "GRPC"
  std::string signature = {};   // empty: the request did not get so far
  std::optional<AnsweredBy> answered_by = {};
  ramet::Code code = ramet::Code::kOk;
  std::chrono::steady_clock::duration latency = {};
};

// The metrics below have TensorFlow Serving's names, except ramet:serving:... The comments list the
// labels. Latencies are in microseconds.
struct RequestMetrics {
  explicit RequestMetrics(MetricRegistry& registry);
  MetricFamily<Counter>& request_count;        // model_name, status
  MetricFamily<Histogram>& request_latency;    // model_name, API, entrypoint
  MetricFamily<Histogram>& version_latency;    // ramet: model_name, version, signature
  MetricFamily<Histogram>& example_counts;     // model; of classify, regress, multi-inference
  MetricFamily<Counter>& example_count_total;  // model
  MetricFamily<Counter>& log_count;            // model_name, status_code
};

struct BatchingMetrics {
  explicit BatchingMetrics(MetricRegistry& registry);
  MetricFamily<Histogram>& queuing_latency;       // thread_pool_name
  MetricFamily<Counter>& wrapped_run_count;       // none
  MetricFamily<Histogram>& input_batch_size;      // thread_pool_name
  MetricFamily<Histogram>& processed_batch_size;  // thread_pool_name
  MetricFamily<Histogram>& padding_size;          // execution_batch_size
  MetricFamily<Gauge>& queue_length;              // ramet: model_name; requests that wait
};

struct LoadMetrics {
  explicit LoadMetrics(MetricRegistry& registry);
  MetricFamily<Counter>& attempt_count;  // model_path, status ("success", "fail")
  MetricFamily<Counter>& latency;        // model_path
};

// The metrics of the server. Thread-safe.
class ServingMetrics {
 public:
  ServingMetrics() : requests(registry), batching(registry), loads(registry) {}

  void Record(const RequestRecord& record);
  // Adds gauges of the models' versions, lag and memory. `manager` must outlive this.
  void Watch(const ModelManager* manager);

  MetricRegistry registry = {};
  RequestMetrics requests;
  BatchingMetrics batching;
  LoadMetrics loads;
};

}  // namespace server
