#pragma once

#include <ramet/ramet.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace server {

// A Counter is a number that only grows. Thread-safe and without locks.
class Counter {
 public:
  void Add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

// A Gauge is a number that goes up and down. Thread-safe and without locks.
class Gauge {
 public:
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double n) { value_.fetch_add(n, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

// A Histogram counts values in buckets. Bucket i counts the values up to bounds()[i]; the last one
// counts all larger ones. Thread-safe and without locks.
class Histogram {
 public:
  // `bounds` increase.
  explicit Histogram(std::vector<double> bounds);
  void Observe(double value);
  const std::vector<double>& bounds() const { return bounds_; }
  // Returns the counts of the buckets, one more than there are bounds.
  std::vector<uint64_t> counts() const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::vector<double> bounds_;
  std::vector<std::atomic<uint64_t>> counts_;
  std::atomic<double> sum_ = 0;
};

// Returns `first` * `factor`^i for i < count: the bounds of a histogram.
std::vector<double> ExponentialBounds(double first, double factor, int count);
// Returns the value below which a share `q` (0 to 1) of the values is, interpolated within its
// bucket; 0 without any values.
double Quantile(const std::vector<double>& bounds, const std::vector<uint64_t>& counts, double q);

// Writes Prometheus' text format.
class PrometheusWriter {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // Begins a metric. `type` is "counter", "gauge" or "histogram".
  void Type(std::string_view name, std::string_view type);
  void Sample(std::string_view name, const Labels& labels, double value);
  void Sample(std::string_view name, const Labels& labels, uint64_t value);
  void Write(std::string_view name, const Labels& labels, const Counter& counter) {
    Sample(name, labels, counter.value());
  }
  void Write(std::string_view name, const Labels& labels, const Gauge& gauge) {
    Sample(name, labels, gauge.value());
  }
  void Write(std::string_view name, const Labels& labels, const Histogram& histogram);
  std::string TakeText() { return std::move(text_); }

 private:
  void NameAndLabels(std::string_view name, const Labels& labels);

  std::string text_;
};

// A MetricSource is a part of what a registry prints: a family of series, or values that are
// computed when they are read.
class MetricSource {
 public:
  virtual ~MetricSource() = default;
  virtual void Print(PrometheusWriter& writer) const = 0;
};

// A MetricFamily holds the series of one metric, one per list of label values. It keeps at most
// kMaxSeries; the one that was least recently looked up makes room for a new one. Thread-safe:
// finding a series that exists takes only a lock that readers share. A caller may keep a series.
template <class Metric>
class MetricFamily : public MetricSource {
 public:
  using LabelValues = std::vector<std::string>;
  static constexpr size_t kMaxSeries = 2000;

  MetricFamily(std::string name, std::vector<std::string> labels,
               std::function<std::shared_ptr<Metric>()> make)
      : name_(std::move(name)), labels_(std::move(labels)), make_(std::move(make)) {}

  // Returns the series of one value per label of the family. Makes it the first time. Finding one
  // that exists allocates nothing.
  std::shared_ptr<Metric> With(std::initializer_list<std::string_view> values)
      RAMET_EXCLUDES(mutex_);
  // Calls f(label values, metric) for each series.
  void ForEach(const std::function<void(const LabelValues&, const Metric&)>& f) const
      RAMET_EXCLUDES(mutex_);
  void Print(PrometheusWriter& writer) const override RAMET_EXCLUDES(mutex_);

 private:
  struct Series {
    std::shared_ptr<Metric> metric;
    std::atomic<uint64_t> last_used = 0;
  };
  // Orders lists of texts.
  struct Less {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(),
          [](std::string_view x, std::string_view y) { return x < y; });
    }
  };
  void RemoveLeastRecentlyUsed() RAMET_REQUIRES(mutex_);

  const std::string name_;
  const std::vector<std::string> labels_;
  const std::function<std::shared_ptr<Metric>()> make_;
  std::atomic<uint64_t> clock_ = 0;  // grows with each new series
  mutable ramet::SharedMutex mutex_;
  std::map<LabelValues, Series, Less> series_ RAMET_GUARDED_BY(mutex_);
};

extern template class MetricFamily<Counter>;
extern template class MetricFamily<Gauge>;
extern template class MetricFamily<Histogram>;

// A MetricRegistry owns the metrics of the server and prints them in the order in which they were
// added. Families live as long as the registry. Thread-safe.
class MetricRegistry {
 public:
  // Names are Prometheus names without the suffixes of histograms.
  MetricFamily<Counter>& AddCounter(std::string name, std::vector<std::string> labels);
  MetricFamily<Gauge>& AddGauge(std::string name, std::vector<std::string> labels);
  MetricFamily<Histogram>& AddHistogram(std::string name, std::vector<std::string> labels,
                                        std::vector<double> bounds);
  // Adds values that `print` computes whenever the metrics are read.
  void AddCollector(std::function<void(PrometheusWriter&)> print);
  // Returns all metrics in Prometheus' text format.
  std::string Text() const RAMET_EXCLUDES(mutex_);

 private:
  template <class Metric>
  MetricFamily<Metric>& Add(std::unique_ptr<MetricFamily<Metric>> family) RAMET_EXCLUDES(mutex_);

  mutable ramet::Mutex mutex_;
  std::vector<std::unique_ptr<MetricSource>> sources_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace server
