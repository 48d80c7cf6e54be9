#include "metrics/serving_metrics.h"

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

LoadMetrics::LoadMetrics(MetricRegistry& registry)
    : attempt_count(registry.AddCounter(":tensorflow:cc:saved_model:load_attempt_count",
                                        {"model_path", "status"})),
      latency(registry.AddCounter(":tensorflow:cc:saved_model:load_latency", {"model_path"})) {}

void ServingMetrics::Record(const RequestRecord& record) {
  const std::string name = record.model_name.empty() ? "unknown" : record.model_name;
  requests.request_count.With({name, std::string(ramet::CodeName(record.code))})->Add();
  if (record.code != ramet::Code::kOk) return;
  const double micros = std::chrono::duration<double, std::micro>(record.latency).count();
  requests.request_latency.With({name, record.api, record.entrypoint})->Observe(micros);
  if (!record.answered_by) return;
  requests.version_latency.With({name, VersionLabel(*record.answered_by), record.signature})
      ->Observe(micros);
}

void ServingMetrics::Watch(const ModelManager* manager) {
  registry.AddCollector([manager](PrometheusWriter& writer) { PrintModels(*manager, writer); });
}

}  // namespace server
