#include "metrics/serving_metrics.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace server {
namespace {

std::vector<double> LatencyBounds() { return ExponentialBounds(10, 1.8, 33); }
std::vector<double> BatchBounds() { return ExponentialBounds(1, 2, 14); }

// A publisher may send a hundred versions a second, so its versions share one series.
std::string VersionLabel(const AnsweredBy& answered_by) {
  return answered_by.step ? "live" : std::to_string(answered_by.version);
}

double MicrosOf(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// Returns the API as TensorFlow Serving's runtime names it, for requests over gRPC and REST.
std::string_view RuntimeApi(std::string_view api) {
  if (api == "classify") return "Classify";
  if (api == "regress") return "Regress";
  return api == "predict" || api == "infer" || api == "ModelInfer" ? "Predict" : api;
}

// A gauge of models: its name and its value for one of them.
struct ModelGauge {
  std::string_view name;
  double (*value)(const ModelReport& report);
};

double NewestAvailable(const ModelReport& report) {
  for (const VersionStatus& version : report.versions) {
    if (version.state == VersionState::kAvailable) return static_cast<double>(version.version);
  }
  return 0;
}

double CountAvailable(const ModelReport& report) {
  double count = 0;
  for (const VersionStatus& version : report.versions) {
    count += version.state == VersionState::kAvailable;
  }
  return count;
}

constexpr ModelGauge kModelGauges[] = {
    {"ramet:serving:model_version", &NewestAvailable},
    {"ramet:serving:available_versions", &CountAvailable},
    {"ramet:serving:version_lag", [](const ModelReport& r) { return static_cast<double>(r.lag); }},
    {"ramet:serving:lag_seconds", [](const ModelReport& r) { return r.lag_seconds; }},
    {"ramet:serving:model_bytes",
     [](const ModelReport& r) { return static_cast<double>(r.bytes); }},
    {"ramet:serving:publisher_connected",
     [](const ModelReport& r) { return r.connected ? 1.0 : 0.0; }},
};

void PrintModels(const ModelManager& manager, PrometheusWriter& writer) {
  const std::vector<ModelReport> reports = manager.Reports();
  if (reports.empty()) return;
  for (const ModelGauge& gauge : kModelGauges) {
    writer.Type(gauge.name, "gauge");
    for (const ModelReport& report : reports) {
      writer.Sample(gauge.name, {{"model_name", report.name}}, gauge.value(report));
    }
  }
}

}  // namespace

RequestMetrics::RequestMetrics(MetricRegistry& registry)
    : request_count(
          registry.AddCounter(":tensorflow:serving:request_count", {"model_name", "status"})),
      request_latency(registry.AddHistogram(":tensorflow:serving:request_latency",
                                            {"model_name", "API", "entrypoint"}, LatencyBounds())),
      runtime_latency(registry.AddHistogram(":tensorflow:serving:runtime_latency",
                                            {"model_name", "API", "runtime"}, LatencyBounds())),
      version_latency(registry.AddHistogram("ramet:serving:version_latency",
                                            {"model_name", "version", "signature"},
                                            LatencyBounds())),
      example_counts(registry.AddHistogram(":tensorflow:serving:request_example_counts", {"model"},
                                           ExponentialBounds(1, 2, 15))),
      example_count_total(
          registry.AddCounter(":tensorflow:serving:request_example_count_total", {"model"})),
      log_count(registry.AddCounter(":tensorflow:serving:request_log_count",
                                    {"model_name", "status_code"})) {}

BatchingMetrics::BatchingMetrics(MetricRegistry& registry)
    : queuing_latency(registry.AddHistogram(":tensorflow:serving:batching_session:queuing_latency",
                                            {"thread_pool_name"}, ExponentialBounds(100, 1.2, 52))),
      wrapped_run_count(
          registry.AddCounter(":tensorflow:serving:batching_session:wrapped_run_count", {})),
      input_batch_size(
          registry.AddHistogram(":tensorflow:serving:batching_session:input_batch_size",
                                {"thread_pool_name"}, BatchBounds())),
      processed_batch_size(
          registry.AddHistogram(":tensorflow:serving:batching_session:processed_batch_size",
                                {"thread_pool_name"}, BatchBounds())),
      padding_size(registry.AddHistogram(":tensorflow:serving:batching_session:padding_size",
                                         {"execution_batch_size"}, BatchBounds())),
      queue_length(registry.AddGauge("ramet:serving:queue_length", {"model_name"})) {}

void BatchingMetrics::Record(const std::string& pool, const std::string& model,
                             const BatchEvent& event) {
  queuing_latency.With({pool})->Observe(static_cast<double>(event.waited.count()));
  wrapped_run_count.With({})->Add(static_cast<uint64_t>(event.requests));
  input_batch_size.With({pool})->Observe(static_cast<double>(event.rows) /
                                         static_cast<double>(event.requests));
  processed_batch_size.With({pool})->Observe(static_cast<double>(event.padded_rows));
  padding_size.With({std::to_string(event.padded_rows)})
      ->Observe(static_cast<double>(event.padded_rows - event.rows));
  queue_length.With({model})->Set(static_cast<double>(event.waiting));
}

LoadMetrics::LoadMetrics(MetricRegistry& registry)
    : attempt_count(registry.AddCounter(":tensorflow:cc:saved_model:load_attempt_count",
                                        {"model_path", "status"})),
      latency(registry.AddCounter(":tensorflow:cc:saved_model:load_latency", {"model_path"})),
      warmup_latency(registry.AddHistogram(":tensorflow:serving:model_warmup_latency",
                                           {"model_path", "status"}, LatencyBounds())),
      warmup_records_read(registry.AddCounter(":tensorflow:serving:model_warmup_records_read",
                                              {"model_path", "status"})) {}

void LoadMetrics::Record(const LoadEvent& event) {
  attempt_count.With({event.path, event.ok ? "success" : "fail"})->Add();
  latency.With({event.path})->Add(static_cast<uint64_t>(event.time.count()));
}

void LoadMetrics::Record(const WarmupEvent& event) {
  const std::string_view status = ramet::CodeName(event.code);
  warmup_latency.With({event.path, status})->Observe(MicrosOf(event.time));
  warmup_records_read.With({event.path, status})->Add(event.records);
}

RunMetrics::RunMetrics(MetricRegistry& registry)
    : count(registry.AddCounter(":tensorflow:core:graph_runs", {})),
      time(registry.AddCounter(":tensorflow:core:graph_run_time_usecs", {})),
      time_histogram(registry.AddHistogram(":tensorflow:core:graph_run_time_usecs_histogram", {},
                                           ExponentialBounds(1000, 2, 20))) {}

void RunMetrics::Record(std::chrono::nanoseconds run_time) {
  const double micros = MicrosOf(run_time);
  count.With({})->Add();
  time.With({})->Add(static_cast<uint64_t>(std::llround(micros)));
  time_histogram.With({})->Observe(micros);
}

void ServingMetrics::Record(const RequestRecord& record) {
  std::string_view name = record.model_name;
  if (name.empty()) name = "unknown";
  requests.request_count.With({name, ramet::CodeName(record.code)})->Add();
  if (record.code != ramet::Code::kOk) return;
  requests.request_latency.With({name, record.api, record.entrypoint})
      ->Observe(MicrosOf(record.latency));
  if (record.examples) {
    requests.example_counts.With({name})->Observe(static_cast<double>(*record.examples));
    requests.example_count_total.With({name})->Add(*record.examples);
  }
  if (!record.answered_by) return;
  const AnsweredBy& by = *record.answered_by;
  requests.runtime_latency.With({name, RuntimeApi(record.api), "TF1"})
      ->Observe(MicrosOf(by.run_time));
  requests.version_latency.With({name, VersionLabel(by), record.signature})
      ->Observe(MicrosOf(record.latency));
}

void ServingMetrics::Watch(const ModelManager* manager) {
  registry.AddCollector([manager](PrometheusWriter& writer) { PrintModels(*manager, writer); });
}

}  // namespace server
