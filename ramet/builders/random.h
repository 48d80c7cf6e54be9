#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ramet/graph/add_op.h"

namespace ramet {

// Random tensors as tf.random_uniform, tf.random_normal and tf.truncated_normal build them: the
// same nodes, seeds and so (with equal seeds) the same numbers as TensorFlow. `shape` is an int32
// or int64 vector. Without a seed here and in the graph (Graph::SetSeed) every session draws other
// numbers. They return an invalid Output after an error, which the graph keeps.

struct RandomUniformOptions {
  Input minval = 0;
  Input maxval = 1;
  DType dtype = kFloat;  // half, bfloat16, float, double, int32, int64
  std::optional<int64_t> seed = {};
  std::string name = "random_uniform";
};
// Uniform in [minval, maxval). Integers need a maxval of their own.
RAMET_EXPORT Output RandomUniform(Graph& graph, const Input& shape,
                                  const RandomUniformOptions& options = {});

struct RandomNormalOptions {
  Input mean = 0.0;
  Input stddev = 1.0;
  DType dtype = kFloat;  // half, bfloat16, float, double
  std::optional<int64_t> seed = {};
  std::string name = {};  // default: "random_normal", "truncated_normal"
};
RAMET_EXPORT Output RandomNormal(Graph& graph, const Input& shape,
                                 const RandomNormalOptions& options = {});
// A normal distribution without what is farther than two standard deviations from the mean.
RAMET_EXPORT Output TruncatedNormal(Graph& graph, const Input& shape,
                                    const RandomNormalOptions& options = {});

// The rows (dimension 0) of `value` in a random order.
RAMET_EXPORT Output RandomShuffle(const Output& value, std::optional<int64_t> seed = {},
                                  std::string_view name = "RandomShuffle");

}  // namespace ramet
