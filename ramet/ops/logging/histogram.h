#pragma once

#include <limits>
#include <string>
#include <vector>

namespace ramet {

// A Histogram counts numbers in TensorFlow's buckets. On each side of zero they start at 1e-12, and
// each limit is 1.1 times the previous one.
class Histogram {
 public:
  Histogram();

  // `value` must be finite.
  void Add(double value);
  // Returns the fields of a HistogramProto; a run of empty buckets becomes one bucket.
  std::string Serialize() const;

 private:
  double min_ = std::numeric_limits<double>::max();
  double max_ = std::numeric_limits<double>::lowest();
  double num_ = 0, sum_ = 0, sum_squares_ = 0;
  std::vector<double> counts_;
};

}  // namespace ramet
