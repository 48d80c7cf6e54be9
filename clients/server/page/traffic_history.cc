#include "page/traffic_history.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace server {
namespace {

// Status and metadata are requests to the server, not to a model.
bool IsInference(const std::string& api) { return !api.empty(); }

float DoubleToFloat(double value) { return static_cast<float>(value); }

void SetLatencies(const std::vector<double>& bounds, const std::vector<uint64_t>& counts,
                  TrafficSample* sample) {
  for (const uint64_t count : counts) sample->requests += static_cast<float>(count);
  if (counts.empty()) return;
  sample->p50 = DoubleToFloat(Quantile(bounds, counts, 0.5));
  sample->p90 = DoubleToFloat(Quantile(bounds, counts, 0.9));
  sample->p99 = DoubleToFloat(Quantile(bounds, counts, 0.99));
}

std::vector<uint64_t> Difference(const std::vector<uint64_t>& now,
                                 const std::vector<uint64_t>& before) {
  std::vector<uint64_t> difference = now;
  for (size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
    difference[i] -= std::min(now[i], before[i]);
  }
  return difference;
}

template <class T>
void Append(T value, std::deque<T>* values) {
  values->push_back(std::move(value));
  if (values->size() > TrafficHistory::kSeconds) values->pop_front();
}

}  // namespace

uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TrafficHistory::TrafficHistory(const ModelManager* manager, const ServingMetrics* metrics)
    : manager_(manager), metrics_(metrics), thread_([this] { Run(); }) {}

TrafficHistory::~TrafficHistory() {
  {
    ramet::MutexLock lock(mutex_);
    stop_ = true;
    stopped_.NotifyAll();
  }
  thread_.join();
}

void TrafficHistory::Run() {
  auto next = std::chrono::steady_clock::now();
  while (true) {
    next += std::chrono::seconds(1);
    {
      ramet::MutexLock lock(mutex_);
      while (!stop_ && stopped_.WaitUntil(mutex_, next)) {
      }
      if (stop_) return;
    }
    Sample();
  }
}

std::map<std::string, TrafficHistory::Totals> TrafficHistory::CountAll() const {
  std::map<std::string, Totals> all;
  metrics_->requests.request_latency.ForEach(
      [&](const std::vector<std::string>& labels, const Histogram& latency) {
        if (!IsInference(labels[1])) return;
        Totals& totals = all[labels[0]];
        std::vector<uint64_t>& sum = totals.latencies;
        totals.bounds = latency.bounds();
        const std::vector<uint64_t> counts = latency.counts();
        sum.resize(counts.size());
        for (size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
      });
  metrics_->requests.request_count.ForEach(
      [&](const std::vector<std::string>& labels, const Counter& count) {
        if (labels[1] != "OK") all[labels[0]].errors += count.value();
      });
  return all;
}

void TrafficHistory::Sample() {
  std::map<std::string, Totals> totals = CountAll();
  std::map<std::string, float> queues;
  metrics_->batching.queue_length.ForEach(
      [&](const std::vector<std::string>& labels, const Gauge& length) {
        queues[labels[0]] += DoubleToFloat(length.value());
      });
  const std::vector<ModelReport> reports = manager_->Reports();
  ramet::MutexLock lock(mutex_);
  std::map<std::string, Model> models;
  for (const ModelReport& report : reports) {
    Model model = std::move(models_[report.name]);
    Totals& now = totals[report.name];
    TrafficSample sample;
    SetLatencies(now.bounds, Difference(now.latencies, model.before.latencies), &sample);
    sample.errors = static_cast<float>(now.errors - std::min(now.errors, model.before.errors));
    sample.queue = queues[report.name];
    sample.lag = static_cast<float>(report.lag);
    Append(sample, &model.samples);
    model.before = std::move(now);
    models[report.name] = std::move(model);
  }
  models_ = std::move(models);  // without the models that are gone
  Append(ResidentBytes(), &memory_);
}

std::vector<TrafficSample> TrafficHistory::SamplesOf(const std::string& model) const {
  ramet::MutexLock lock(mutex_);
  const auto found = models_.find(model);
  if (found == models_.end()) return {};
  return {found->second.samples.begin(), found->second.samples.end()};
}

std::vector<uint64_t> TrafficHistory::Memory() const {
  ramet::MutexLock lock(mutex_);
  return {memory_.begin(), memory_.end()};
}

}  // namespace server
