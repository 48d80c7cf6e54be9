#pragma once

#include <cstdint>

#include "ramet/linalg/random.h"
#include "ramet/linalg/types.h"

// TensorFlow's CPU random numbers of distributions that are sampled by rejection, bit for bit, for
// any number of intra-op threads. A caller's generator must Skip PhiloxReserved(rates * samples).

namespace ramet::linalg {

// y[s * count + a] = sample s of the gamma distribution with shape alpha[a] and scale 1, for
// s < samples and a < count. NaN for alpha that is negative or NaN. half, float, double.
// Source: Marsaglia and Tsang, "A simple method for generating gamma variables".
void FillGamma(Type type, Philox generator, const void* alpha, int64_t count, void* y,
               int64_t samples);

// y[s * count + r] = sample s of the Poisson distribution with mean rate[r]. y has type `type`, and
// rates are doubles that do not exceed its largest value, or infinite. half, float, double, int32,
// int64.
// Sources: Knuth, "The Art of Computer Programming", volume 2, 3.4.1; Hormann, "The transformed
// rejection method for generating Poisson random variables".
void FillPoisson(Type type, Philox generator, const double* rate, int64_t count, void* y,
                 int64_t samples);

}  // namespace ramet::linalg
