#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/tables.h"

// Loops over [rows, n] of which each column, or all of it, is one channel.

namespace ramet::linalg::RAMET_LEVEL {
namespace {

// Independent sums, so that a sum over one channel runs in vectors.
constexpr int64_t kLanes = 32;

// Calls term(x, dy, mean, lane) for every element; lane is the column, or one of kLanes.
template <class Term>
void ForTerms(const NormArgs& a, Term&& term) {
  for (int64_t r = 0; r < a.rows; ++r) {
    const float* x = a.x + r * a.n;
    const float* dy = a.dy + r * a.n;
    if (a.by_column) {
      for (int64_t i = 0; i < a.n; ++i) term(x[i], dy[i], a.mean[i], i);
      continue;
    }
    const float mean = *a.mean;
    int64_t i = 0;
    for (; i + kLanes <= a.n; i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) term(x[i + l], dy[i + l], mean, l);
    }
    for (; i < a.n; ++i) term(x[i], dy[i], mean, i % kLanes);
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

// Sums of what term(x, dy, mean) gives, for each channel.
template <class Term>
void Sum(const NormArgs& a, float* sums, Term&& term) {
  float lanes[kLanes] = {};
  float* const to = a.by_column ? sums : lanes;
  for (int64_t i = 0; a.by_column && i < a.n; ++i) sums[i] = 0;
  ForTerms(a, [&](float x, float dy, float mean, int64_t lane) { to[lane] += term(x, dy, mean); });
  if (!a.by_column) *sums = Total(lanes);
}

void SumX(const NormArgs& a, float* sums, float*) {
  Sum(a, sums, [](float x, float, float) { return x; });
}

void SumSquares(const NormArgs& a, float* sums, float*) {
  Sum(a, sums, [](float x, float, float mean) { return (x - mean) * (x - mean); });
}

void SumGrads(const NormArgs& a, float* sums, float* products) {
  Sum(a, sums, [](float, float dy, float) { return dy; });
  Sum(a, products, [](float x, float dy, float mean) { return dy * (x - mean); });
}

// y = f(x, dy, the channel's place) for every element.
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
  const float *mean = a.mean, *factor = a.factor, *moved = a.moved, *tilted = a.tilted;
  Map(a, [=](float x, float dy, int64_t c) {
    return (dy - moved[c] - (x - mean[c]) * tilted[c]) * factor[c];
  });
}

}  // namespace

void AddBatchNorm(KernelTable& table) {
  table.norm_sum = &SumX;
  table.norm_sum_squares = &SumSquares;
  table.norm_sum_grads = &SumGrads;
  table.normalize = &Normalize;
  table.norm_grad = &Grad;
}

}  // namespace ramet::linalg::RAMET_LEVEL
