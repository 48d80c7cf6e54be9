#pragma once

#include <cstdint>

#include "ramet/linalg/random.h"
#include "ramet/linalg/types.h"

// TensorFlow's random numbers of binomial distributions, bit for bit, for any number of intra-op
// threads.

namespace ramet::linalg {

// Binomial distributions: counts[i] trials that succeed with the probability probs[i]. Both are
// doubles that are exact in the type `precision` (half, float or double), whose rounding decides
// how a distribution is sampled.
struct Binomials {
  const double* counts;
  const double* probs;
  int64_t size;
  Type precision;
};

// Reports whether samples can be drawn in finite time: the count is not NaN, or every trial has the
// same result.
bool CanSampleBinomial(double count, double prob);

// y[s * size + b] = sample s of distribution b, each of which CanSampleBinomial; NaN if its
// probability is NaN or its count is infinite. half, float, double, int32, int64.
// Sources: Devroye, "Non-Uniform Random Variate Generation", X.4 (sums of geometric variables), for
// means below 10; Hormann, "The generation of binomial random variates" (algorithm BTRS), above.
void FillBinomial(Type type, Philox generator, const Binomials& binomials, void* y,
                  int64_t samples);

}  // namespace ramet::linalg
