#pragma once

#include <cstdint>

#include "ramet/linalg/random.h"
#include "ramet/linalg/types.h"

// TensorFlow's random numbers of truncated normal distributions, bit for bit, as it draws them with
// one intra-op thread: all distributions use one stream of numbers, each from its next group on.

namespace ramet::linalg {

// Normal distributions that are truncated to [low, high]. Value i of each parameter is at
// i * step, where a step is 0 or 1.
struct TruncatedNormals {
  struct Parameter {
    const void* values;
    int64_t step;
  };
  Parameter mean, deviation, low, high;
};

// A TruncatedLayout says where samples go: sample s of distribution b is y[b * distribution_step +
// s * sample_step]. The last distribution may have fewer samples than the others.
struct TruncatedLayout {
  int64_t samples;  // of each distribution
  int64_t total;    // of all distributions
  int64_t distribution_step, sample_step;
};

enum class Truncation : uint8_t {
  kDone,
  kInvalid,       // a deviation is not positive, or an interval is empty or infinite
  kNormalFailed,  // these three: too many numbers in a row were rejected
  kUniformFailed,
  kExponentialFailed,
};
// The numbers in a row that may be rejected.
inline constexpr int kMaxRejectedNumbers = 1000;

// Reports whether the deviations of `count` distributions are positive and their intervals neither
// empty nor infinite. half, float, double.
bool AreValid(Type type, const TruncatedNormals& normals, int64_t count);

// Draws the samples of all distributions until one fails. half, float, double.
// Source: Robert, "Simulation of truncated normal variables".
Truncation FillTruncatedNormals(Type type, Philox generator, const TruncatedNormals& normals,
                                const TruncatedLayout& layout, void* y);

}  // namespace ramet::linalg
