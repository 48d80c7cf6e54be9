#pragma once

#include <cstdint>
#include <optional>

#include "ramet/graph/add_op.h"
#include "ramet/graph/variable_scope.h"

namespace ramet {

// Initializers for GetVariable, equivalent to tf.initializers.*. They build TensorFlow's nodes
// under "<variable>/Initializer/", so equal seeds give equal numbers. For `seed`, see random.h. The
// random initializers support floating dtypes (RandomUniform also int32 and int64). For a different
// dtype, the graph records an error when the variable is made.

RAMET_EXPORT Initializer Zeros();
RAMET_EXPORT Initializer Ones();
// A scalar `value` fills every element. A tensor with as many elements as the variable is reshaped;
// if it has fewer, its last element is repeated (like tf.constant).
RAMET_EXPORT Initializer ConstantInit(const Input& value);
RAMET_EXPORT Initializer RandomUniform(const Input& minval = 0.0, const Input& maxval = 1,
                                       std::optional<int64_t> seed = {});
RAMET_EXPORT Initializer RandomNormal(const Input& mean = 0.0, const Input& stddev = 1.0,
                                      std::optional<int64_t> seed = {});
RAMET_EXPORT Initializer TruncatedNormal(const Input& mean = 0.0, const Input& stddev = 1.0,
                                         std::optional<int64_t> seed = {});

enum class FanMode { kFanIn, kFanOut, kFanAvg };
enum class Distribution { kTruncatedNormal, kUntruncatedNormal, kUniform };
// Variance scale/n, where n is the fan in, the fan out or their mean. The fans of a matrix are its
// dimensions; those of a convolution kernel [..., in, out] are multiplied by the receptive field
// size; those of a vector are its length.
RAMET_EXPORT Initializer VarianceScaling(double scale = 1.0, FanMode mode = FanMode::kFanIn,
                                         Distribution distribution = Distribution::kTruncatedNormal,
                                         std::optional<int64_t> seed = {});
// Glorot & Bengio 2010 (xavier): variance scaling 1, fan_avg.
RAMET_EXPORT Initializer GlorotUniform(std::optional<int64_t> seed = {});
RAMET_EXPORT Initializer GlorotNormal(std::optional<int64_t> seed = {});
// He et al. 2015: variance scaling 2, fan_in.
RAMET_EXPORT Initializer HeUniform(std::optional<int64_t> seed = {});
RAMET_EXPORT Initializer HeNormal(std::optional<int64_t> seed = {});
// LeCun et al. 1998: variance scaling 1, fan_in.
RAMET_EXPORT Initializer LecunUniform(std::optional<int64_t> seed = {});
RAMET_EXPORT Initializer LecunNormal(std::optional<int64_t> seed = {});
// Uniform in +-factor*sqrt(3/n), where n is the product of all dimensions except the last.
RAMET_EXPORT Initializer UniformUnitScaling(double factor = 1.0, std::optional<int64_t> seed = {});

}  // namespace ramet
