#pragma once

#include <cstdint>
#include <optional>

#include "ramet/graph/add_op.h"
#include "ramet/graph/variable_scope.h"

namespace ramet {

// Initializers for GetVariable: what tf.initializers.* are. They build TensorFlow's nodes under
// "<variable>/Initializer/", so equal seeds give equal numbers. `seed`: see random.h. The random
// ones are for floating dtypes (RandomUniform also for int32 and int64); another dtype is an error
// of the graph when the variable is made.

RAMET_EXPORT Initializer Zeros();
RAMET_EXPORT Initializer Ones();
// Every element `value` for a scalar; a tensor of as many elements as the variable has is reshaped;
// of fewer, its last element is repeated (as tf.constant does).
RAMET_EXPORT Initializer ConstantInit(const Input& value);
RAMET_EXPORT Initializer RandomUniform(const Input& minval = 0.0, const Input& maxval = 1,
                                       std::optional<int64_t> seed = {});
RAMET_EXPORT Initializer RandomNormal(const Input& mean = 0.0, const Input& stddev = 1.0,
                                      std::optional<int64_t> seed = {});
RAMET_EXPORT Initializer TruncatedNormal(const Input& mean = 0.0, const Input& stddev = 1.0,
                                         std::optional<int64_t> seed = {});

enum class FanMode { kFanIn, kFanOut, kFanAvg };
enum class Distribution { kTruncatedNormal, kUntruncatedNormal, kUniform };
// Variance scale/n, n the fan in, fan out or their mean. The fans of a matrix are its dimensions,
// of a convolution kernel [..., in, out] those times the receptive field, of a vector its length.
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
// Uniform in +-factor*sqrt(3/n), n the product of all dimensions but the last.
RAMET_EXPORT Initializer UniformUnitScaling(double factor = 1.0, std::optional<int64_t> seed = {});

}  // namespace ramet
