#pragma once

#include <limits>
#include <string>
#include <vector>

namespace ramet {

// A Histogram counts numbers in TensorFlow's buckets: each is a tenth wider than the one before,
// from 1e-12 on to both sides of zero.
class Histogram {
 public:
  Histogram();

  // `value` is finite.
  void Add(double value);
  // The fields of a HistogramProto; runs of empty buckets are one bucket.
  std::string Serialize() const;

 private:
  double min_ = std::numeric_limits<double>::max();
  double max_ = std::numeric_limits<double>::lowest();
  double num_ = 0, sum_ = 0, sum_squares_ = 0;
  std::vector<double> counts_;
};

}  // namespace ramet
