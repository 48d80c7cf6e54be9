#include "metrics/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace server {
namespace {

// Six significant digits, as TensorFlow Serving prints numbers.
std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6);
  return std::string(text, end.ptr);
}

// Whole numbers are exact up to 2^53.
std::string ValueText(double value) {
  if (std::abs(value) < 0x1p53 && value == std::floor(value)) {
    return std::to_string(static_cast<int64_t>(value));
  }
  return NumberText(value);
}

void AppendEscaped(std::string_view value, std::string* out) {
  for (const char c : value) {
    if (c == '\n') {
      *out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') *out += '\\';
    *out += c;
  }
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::Observe(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::vector<uint64_t> Histogram::counts() const {
  std::vector<uint64_t> counts;
  counts.reserve(counts_.size());
  for (const auto& count : counts_) counts.push_back(count.load(std::memory_order_relaxed));
  return counts;
}

std::vector<double> ExponentialBounds(double first, double factor, int count) {
  std::vector<double> bounds;
  for (int i = 0; i < count; ++i) bounds.push_back(first * std::pow(factor, i));
  return bounds;
}

double Quantile(const std::vector<double>& bounds, const std::vector<uint64_t>& counts, double q) {
  uint64_t total = 0;
  for (const uint64_t count : counts) total += count;
  if (total == 0) return 0;
  const double rank = q * static_cast<double>(total);
  double below = 0;
  for (size_t i = 0; i < bounds.size(); ++i) {
    const double in_bucket = static_cast<double>(counts[i]);
    if (below + in_bucket >= rank && in_bucket > 0) {
      const double from = i == 0 ? 0 : bounds[i - 1];
      return from + (bounds[i] - from) * std::max(0.0, rank - below) / in_bucket;
    }
    below += in_bucket;
  }
  return bounds.empty() ? 0 : bounds.back();
}

void PrometheusWriter::Type(std::string_view name, std::string_view type) {
  text_ += ramet::StrCat("# TYPE ", name, " ", type, "\n");
}

void PrometheusWriter::NameAndLabels(std::string_view name, const Labels& labels) {
  text_ += name;
  text_ += '{';
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i > 0) text_ += ',';
    text_ += labels[i].first;
    text_ += "=\"";
    AppendEscaped(labels[i].second, &text_);
    text_ += '"';
  }
  text_ += "} ";
}

void PrometheusWriter::Sample(std::string_view name, const Labels& labels, double value) {
  NameAndLabels(name, labels);
  text_ += ValueText(value);
  text_ += '\n';
}

void PrometheusWriter::Sample(std::string_view name, const Labels& labels, uint64_t value) {
  NameAndLabels(name, labels);
  text_ += std::to_string(value);
  text_ += '\n';
}

void PrometheusWriter::Write(std::string_view name, const Labels& labels,
                             const Histogram& histogram) {
  const std::vector<uint64_t> counts = histogram.counts();
  const std::string bucket = ramet::StrCat(name, "_bucket");
  Labels with_bound = labels;
  with_bound.emplace_back("le", "");
  uint64_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    const bool last = i == histogram.bounds().size();
    with_bound.back().second = last ? "+Inf" : NumberText(histogram.bounds()[i]);
    Sample(bucket, with_bound, total);
  }
  Sample(ramet::StrCat(name, "_sum"), labels, histogram.sum());
  Sample(ramet::StrCat(name, "_count"), labels, total);
}

template <class Metric>
std::shared_ptr<Metric> MetricFamily<Metric>::With(std::initializer_list<std::string_view> values) {
  {
    ramet::ReaderLock lock(mutex_);
    const auto found = series_.find(values);
    if (found != series_.end()) {
      const uint64_t now = clock_.load(std::memory_order_relaxed);
      std::atomic<uint64_t>& used = found->second.last_used;
      if (used.load(std::memory_order_relaxed) != now) used.store(now, std::memory_order_relaxed);
      return found->second.metric;
    }
  }
  std::shared_ptr<Metric> metric = make_();
  ramet::WriterLock lock(mutex_);
  if (series_.size() >= kMaxSeries && !series_.contains(values)) RemoveLeastRecentlyUsed();
  Series& series = series_[LabelValues(values.begin(), values.end())];
  if (series.metric == nullptr) series.metric = std::move(metric);
  series.last_used = ++clock_;
  return series.metric;
}

template <class Metric>
void MetricFamily<Metric>::RemoveLeastRecentlyUsed() {
  auto oldest = series_.begin();
  for (auto it = series_.begin(); it != series_.end(); ++it) {
    if (it->second.last_used < oldest->second.last_used) oldest = it;
  }
  series_.erase(oldest);
}

template <class Metric>
void MetricFamily<Metric>::ForEach(
    const std::function<void(const LabelValues&, const Metric&)>& f) const {
  ramet::ReaderLock lock(mutex_);
  for (const auto& [values, series] : series_) f(values, *series.metric);
}

template <class Metric>
void MetricFamily<Metric>::Print(PrometheusWriter& writer) const {
  bool first = true;
  ForEach([&](const LabelValues& values, const Metric& metric) {
    if (first) {
      constexpr bool kIsCounter = std::is_same_v<Metric, Counter>;
      constexpr bool kIsGauge = std::is_same_v<Metric, Gauge>;
      writer.Type(name_, kIsCounter ? "counter" : kIsGauge ? "gauge" : "histogram");
    }
    first = false;
    PrometheusWriter::Labels labels;
    for (size_t i = 0; i < labels_.size(); ++i) labels.emplace_back(labels_[i], values[i]);
    writer.Write(name_, labels, metric);
  });
}

template class MetricFamily<Counter>;
template class MetricFamily<Gauge>;
template class MetricFamily<Histogram>;

namespace {

class Collector : public MetricSource {
 public:
  explicit Collector(std::function<void(PrometheusWriter&)> print) : print_(std::move(print)) {}
  void Print(PrometheusWriter& writer) const override { print_(writer); }

 private:
  const std::function<void(PrometheusWriter&)> print_;
};

}  // namespace

template <class Metric>
MetricFamily<Metric>& MetricRegistry::Add(std::unique_ptr<MetricFamily<Metric>> family) {
  MetricFamily<Metric>& added = *family;
  ramet::MutexLock lock(mutex_);
  sources_.push_back(std::move(family));
  return added;
}

MetricFamily<Counter>& MetricRegistry::AddCounter(std::string name,
                                                  std::vector<std::string> labels) {
  return Add(std::make_unique<MetricFamily<Counter>>(std::move(name), std::move(labels),
                                                     [] { return std::make_shared<Counter>(); }));
}

MetricFamily<Gauge>& MetricRegistry::AddGauge(std::string name, std::vector<std::string> labels) {
  return Add(std::make_unique<MetricFamily<Gauge>>(std::move(name), std::move(labels),
                                                   [] { return std::make_shared<Gauge>(); }));
}

MetricFamily<Histogram>& MetricRegistry::AddHistogram(std::string name,
                                                      std::vector<std::string> labels,
                                                      std::vector<double> bounds) {
  return Add(std::make_unique<MetricFamily<Histogram>>(
      std::move(name), std::move(labels),
      [bounds = std::move(bounds)] { return std::make_shared<Histogram>(bounds); }));
}

void MetricRegistry::AddCollector(std::function<void(PrometheusWriter&)> print) {
  ramet::MutexLock lock(mutex_);
  sources_.push_back(std::make_unique<Collector>(std::move(print)));
}

std::string MetricRegistry::Text() const {
  PrometheusWriter writer;
  ramet::MutexLock lock(mutex_);
  for (const auto& source : sources_) source->Print(writer);
  return writer.TakeText();
}

}  // namespace server
