#include "ramet/ops/logging/histogram.h"

#include <algorithm>
#include <bit>

#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

std::vector<double> MakeLimits() {
  constexpr double kLast = std::numeric_limits<double>::max();
  std::vector<double> positive;
  for (double limit = 1.0e-12; limit < 1.0e20; limit *= 1.1) positive.push_back(limit);
  positive.push_back(kLast);
  std::vector<double> limits;
  for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) limits.push_back(-*limit);
  limits.push_back(0.0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

// Returns the upper limits of the buckets in ascending order.
const std::vector<double>& Limits() {
  static const std::vector<double>* const limits = new std::vector<double>(MakeLimits());
  return *limits;
}

void AppendDoubles(std::string* message, uint32_t number, const std::vector<double>& values) {
  AppendBytesHead(message, number, values.size() * sizeof(double));
  for (double x : values) AppendFixed64(message, std::bit_cast<uint64_t>(x));
}

}  // namespace

Histogram::Histogram() : counts_(Limits().size()) {}

void Histogram::Add(double value) {
  const auto& limits = Limits();
  const auto bucket = std::upper_bound(limits.begin(), limits.end() - 1, value);
  counts_[bucket - limits.begin()] += 1;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  num_ += 1;
  sum_ += value;
  sum_squares_ += value * value;
}

std::string Histogram::Serialize() const {
  std::vector<double> limits, counts;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const bool joins_previous = i > 0 && counts_[i] == 0 && counts_[i - 1] == 0;
    if (joins_previous) {
      limits.back() = Limits()[i];
    } else {
      limits.push_back(Limits()[i]);
      counts.push_back(counts_[i]);
    }
  }
  std::string message;
  uint32_t number = 0;
  for (double x : {min_, max_, num_, sum_, sum_squares_}) AppendNonZero(&message, ++number, x);
  AppendDoubles(&message, 6, limits);
  AppendDoubles(&message, 7, counts);
  return message;
}

}  // namespace ramet
