#include "metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "metrics/serving_metrics.h"

namespace server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsTest, PrintsCountersAndGauges) {
  MetricRegistry registry;
  registry.AddCounter(":a:count", {"model", "status"}).With({"m", "OK"})->Add(3);
  registry.AddGauge("b", {}).With({})->Set(2.5);
  registry.AddCollector([](PrometheusWriter& writer) { writer.Sample("c", {}, uint64_t{7}); });
  EXPECT_EQ(registry.Text(),
            "# TYPE :a:count counter\n:a:count{model=\"m\",status=\"OK\"} 3\n"
            "# TYPE b gauge\nb{} 2.5\nc{} 7\n");
}

TEST(MetricsTest, EscapesLabels) {
  MetricRegistry registry;
  registry.AddCounter("a", {"l"}).With({"x\"y\\z\n"})->Add();
  EXPECT_THAT(registry.Text(), HasSubstr("a{l=\"x\\\"y\\\\z\\n\"} 1\n"));
}

TEST(MetricsTest, PrintsHistogramsCumulatively) {
  MetricRegistry registry;
  auto histogram = registry.AddHistogram("h", {"l"}, ExponentialBounds(10, 1.8, 3)).With({"x"});
  for (const double value : {1.0, 10.0, 11.0, 1000.0}) histogram->Observe(value);
  EXPECT_EQ(registry.Text(),
            "# TYPE h histogram\nh_bucket{l=\"x\",le=\"10\"} 2\nh_bucket{l=\"x\",le=\"18\"} 3\n"
            "h_bucket{l=\"x\",le=\"32.4\"} 3\nh_bucket{l=\"x\",le=\"+Inf\"} 4\n"
            "h_sum{l=\"x\"} 1022\nh_count{l=\"x\"} 4\n");
}

TEST(MetricsTest, BoundsPrintWithSixDigits) {
  MetricRegistry registry;
  registry.AddHistogram("h", {}, ExponentialBounds(10, 1.8, 33)).With({})->Observe(1);
  EXPECT_THAT(registry.Text(), HasSubstr("le=\"2.52873e+08\""));
}

TEST(MetricsTest, Quantiles) {
  const std::vector<double> bounds = {10, 20, 40};
  EXPECT_EQ(Quantile(bounds, {0, 0, 0, 0}, 0.5), 0);
  EXPECT_EQ(Quantile(bounds, {10, 0, 0, 0}, 0.5), 5);
  EXPECT_EQ(Quantile(bounds, {5, 5, 0, 0}, 0.75), 15);
  EXPECT_EQ(Quantile(bounds, {0, 0, 0, 3}, 0.99), 40);
}

TEST(MetricsTest, KeepsABoundedNumberOfSeries) {
  MetricRegistry registry;
  auto& family = registry.AddCounter("a", {"l"});
  constexpr size_t kMax = MetricFamily<Counter>::kMaxSeries;
  family.With({"first"})->Add();
  for (size_t i = 0; i < 2 * kMax; ++i) {
    family.With({"x" + std::to_string(i)})->Add();
    if (i % 100 == 0) family.With({"first"})->Add();
  }
  size_t count = 0;
  family.ForEach([&](const auto&, const Counter&) { ++count; });
  EXPECT_EQ(count, kMax);
  EXPECT_THAT(registry.Text(), HasSubstr("a{l=\"first\"}"));
  EXPECT_THAT(registry.Text(), Not(HasSubstr("a{l=\"x1\"}")));
}

TEST(MetricsTest, ThreadsCountTogether) {
  MetricRegistry registry;
  auto& counters = registry.AddCounter("a", {"l"});
  auto& histograms = registry.AddHistogram("h", {}, {1, 2});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        counters.With({std::to_string(i % 7)})->Add();
        histograms.With({})->Observe(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t total = 0;
  counters.ForEach([&](const auto&, const Counter& counter) { total += counter.value(); });
  EXPECT_EQ(total, 4000u);
  EXPECT_EQ(histograms.With({})->sum(), 4000);
}

TEST(ServingMetricsTest, RecordsRequests) {
  ServingMetrics metrics;
  RequestRecord record = {.model_name = "m", .api = "predict", .entrypoint = "REST"};
  record.signature = "serving_default";
  record.answered_by = AnsweredBy{.version = 3, .run_time = std::chrono::microseconds(15)};
  record.latency = std::chrono::microseconds(25);
  metrics.Record(record);
  record.answered_by->step = 77;
  metrics.Record(record);
  metrics.Record({.examples = 5, .code = ramet::Code::kNotFound});
  metrics.Record({.model_name = "m", .api = "Classify", .entrypoint = "GRPC", .examples = 7});
  const std::string text = metrics.registry.Text();
  EXPECT_THAT(text, HasSubstr(":tensorflow:serving:request_count{model_name=\"m\",status=\"OK\"} "
                              "3\n"));
  EXPECT_THAT(text, HasSubstr(":tensorflow:serving:request_count{model_name=\"unknown\",status="
                              "\"NOT_FOUND\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(":tensorflow:serving:request_latency_bucket{model_name=\"m\",API="
                              "\"predict\",entrypoint=\"REST\",le=\"32.4\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("ramet:serving:version_latency_count{model_name=\"m\",version=\"3\","
                              "signature=\"serving_default\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("version=\"live\""));
  EXPECT_THAT(text, HasSubstr(":tensorflow:serving:runtime_latency_bucket{model_name=\"m\",API="
                              "\"Predict\",runtime=\"TF1\",le=\"18\"} 2\n"));
  // Examples of requests that failed are not counted.
  EXPECT_THAT(text, HasSubstr("request_example_count_total{model=\"m\"} 7\n"));
  EXPECT_THAT(text, Not(HasSubstr("request_example_count_total{model=\"unknown\"")));
}

TEST(ServingMetricsTest, RecordsRunsAndWarmups) {
  ServingMetrics metrics;
  metrics.runs.Record(std::chrono::microseconds(1500));
  metrics.runs.Record(std::chrono::microseconds(500));
  metrics.loads.Record(
      WarmupEvent{.path = "/m/1", .time = std::chrono::milliseconds(3), .records = 4});
  const std::string text = metrics.registry.Text();
  EXPECT_THAT(text, HasSubstr(":tensorflow:core:graph_runs{} 2\n"));
  EXPECT_THAT(text, HasSubstr(":tensorflow:core:graph_run_time_usecs{} 2000\n"));
  EXPECT_THAT(text, HasSubstr("graph_run_time_usecs_histogram_bucket{le=\"1000\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(":tensorflow:serving:model_warmup_latency_sum{model_path=\"/m/1\","
                              "status=\"OK\"} 3000\n"));
  EXPECT_THAT(text, HasSubstr("model_warmup_records_read{model_path=\"/m/1\",status=\"OK\"} 4\n"));
}

}  // namespace
}  // namespace server
