#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

// Loops over [rows, n], where each column is a channel, or everything is one channel.

namespace ramet::linalg::RAMET_LEVEL {
namespace {

// Independent sums, so that the sum of one channel vectorizes.
constexpr int64_t kLanes = 32;

// Calls term(x, dy, mean, lane) for every element of rows that are one channel, with a lane below
// kLanes.
template <class Term>
void ForTerms(const NormArgs& a, Term&& term) {
  const float mean = *a.mean;
  for (int64_t r = 0; r < a.rows; ++r) {
    const float* x = a.x + r * a.n;
    const float* dy = a.dy + r * a.n;
    int64_t i = 0;
    for (; i + kLanes <= a.n; i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) term(x[i + l], dy[i + l], mean, l);
    }
    for (; i < a.n; ++i) term(x[i], dy[i], mean, i % kLanes);
  }
}

// Sums columns, four rows at a time.
template <class Term>
void SumColumns(const NormArgs& a, float* sums, Term&& term) {
  constexpr int64_t kWidth = kVectorBytes / sizeof(float);
  int64_t j = 0;
  for (; j + kWidth <= a.n; j += kWidth) {
    const Vector<float> mean = Load(a.mean + j);
    const auto row = [&](int64_t r) {
      return term(Load(a.x + r * a.n + j), Load(a.dy + r * a.n + j), mean);
    };
    const Vector<float> sum = JoinRows<Sum>(a.rows, Vector<float>{}, row);
    std::memcpy(sums + j, &sum, sizeof sum);
  }
  for (; j < a.n; ++j) {
    sums[j] = JoinRows<Sum>(a.rows, 0.0f, [&](int64_t r) {
      return term(a.x[r * a.n + j], a.dy[r * a.n + j], a.mean[j]);
    });
  }
}

float Total(const float* lanes) {
  float sum[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) sum[l] = lanes[l];
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t l = 0; l < half; ++l) sum[l] += sum[l + half];
  }
  return sum[0];
}

// Sums term(x, dy, mean) for each channel.
template <class Term>
void SumTerms(const NormArgs& a, float* sums, Term&& term) {
  if (a.by_column) return SumColumns(a, sums, term);
  float lanes[kLanes] = {};
  ForTerms(a,
           [&](float x, float dy, float mean, int64_t lane) { lanes[lane] += term(x, dy, mean); });
  *sums = Total(lanes);
}

void SumX(const NormArgs& a, float* sums, float*) {
  SumTerms(a, sums, []<class V>(V x, V, V) -> V { return x; });
}

void SumSquaresOf(const NormArgs& a, float* sums, float*) {
  SumTerms(a, sums, []<class V>(V x, V, V mean) -> V { return (x - mean) * (x - mean); });
}

void SumGrads(const NormArgs& a, float* sums, float* products) {
  SumTerms(a, sums, []<class V>(V, V dy, V) -> V { return dy; });
  SumTerms(a, products, []<class V>(V x, V dy, V mean) -> V { return dy * (x - mean); });
}

// y = f(x, dy, the channel's index) for every element.
template <class F>
void Map(const NormArgs& a, F&& f) {
  for (int64_t r = 0; r < a.rows; ++r) {
    const float* x = a.x + r * a.n;
    const float* dy = a.dy + r * a.n;
    float* y = a.y + r * a.n;
    if (a.by_column) {
      RAMET_IVDEP
      for (int64_t i = 0; i < a.n; ++i) y[i] = f(x[i], dy[i], i);
    } else {
      RAMET_IVDEP
      for (int64_t i = 0; i < a.n; ++i) y[i] = f(x[i], dy[i], 0);
    }
  }
}

void Normalize(const NormArgs& a) {
  const float *mean = a.mean, *factor = a.factor, *shift = a.shift;
  Map(a, [=](float x, float, int64_t c) { return (x - mean[c]) * factor[c] + shift[c]; });
}

void Grad(const NormArgs& a) {
  const float *mean = a.mean, *factor = a.factor, *dy_mean = a.dy_mean, *dy_slope = a.dy_slope;
  Map(a, [=](float x, float dy, int64_t c) {
    return (dy - dy_mean[c] - (x - mean[c]) * dy_slope[c]) * factor[c];
  });
}

}  // namespace

void AddBatchNorm(KernelTable& table) {
  table.norm_sum = &SumX;
  table.norm_sum_squares = &SumSquaresOf;
  table.norm_sum_grads = &SumGrads;
  table.normalize = &Normalize;
  table.norm_grad = &Grad;
}

}  // namespace ramet::linalg::RAMET_LEVEL
