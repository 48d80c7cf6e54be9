#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/metrics.h"
#include "model/manager_options.h"
#include "model/model_manager.h"

namespace server {

// One request to an API, as the metrics count it.
struct RequestRecord {
  std::string model_name = {};  // empty: unknown, so that clients cannot make series
  // REST: "predict", ""; gRPC: "Predict"; V2: "infer", "ModelInfer". Outlives the record.
  std::string_view api = {};
  std::string_view entrypoint = {};       // "REST" or "GRPC"
  std::string signature = {};             // empty: the request did not get so far
  std::optional<uint64_t> examples = {};  // of classify, regress and multi-inference
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
  MetricFamily<Histogram>& runtime_latency;    // model_name, API, runtime ("TF1")
  MetricFamily<Histogram>& version_latency;    // ramet: model_name, version, signature
  MetricFamily<Histogram>& example_counts;     // model; of classify, regress, multi-inference
  MetricFamily<Counter>& example_count_total;  // model
  MetricFamily<Counter>& log_count;            // model_name, status_code
};

struct BatchingMetrics {
  explicit BatchingMetrics(MetricRegistry& registry);
  // `pool` is the value of thread_pool_name.
  void Record(const std::string& pool, const std::string& model, const BatchEvent& event);

  MetricFamily<Histogram>& queuing_latency;       // thread_pool_name
  MetricFamily<Counter>& wrapped_run_count;       // none
  MetricFamily<Histogram>& input_batch_size;      // thread_pool_name
  MetricFamily<Histogram>& processed_batch_size;  // thread_pool_name
  MetricFamily<Histogram>& padding_size;          // execution_batch_size
  MetricFamily<Gauge>& queue_length;              // ramet: model_name; requests that wait
};

struct LoadMetrics {
  explicit LoadMetrics(MetricRegistry& registry);
  void Record(const LoadEvent& event);
  void Record(const WarmupEvent& event);

  MetricFamily<Counter>& attempt_count;        // model_path, status ("success", "fail")
  MetricFamily<Counter>& latency;              // model_path
  MetricFamily<Histogram>& warmup_latency;     // model_path, status ("OK", ...)
  MetricFamily<Counter>& warmup_records_read;  // model_path, status
};

// The successful runs of all graphs, those of warm-ups too. A batch is one run.
struct RunMetrics {
  explicit RunMetrics(MetricRegistry& registry);
  void Record(std::chrono::nanoseconds time);

  MetricFamily<Counter>& count;             // none
  MetricFamily<Counter>& time;              // none
  MetricFamily<Histogram>& time_histogram;  // none
};

// The metrics of the server. Thread-safe.
class ServingMetrics {
 public:
  ServingMetrics() : requests(registry), batching(registry), loads(registry), runs(registry) {}

  void Record(const RequestRecord& record);
  // Adds gauges of the models' versions, lag and memory. `manager` must outlive this.
  void Watch(const ModelManager* manager);

  MetricRegistry registry = {};
  RequestMetrics requests;
  BatchingMetrics batching;
  LoadMetrics loads;
  RunMetrics runs;
};

}  // namespace server
