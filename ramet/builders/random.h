#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ramet/graph/add_op.h"

namespace ramet {

// Random tensors with the nodes and seeds of tf.random_uniform, tf.random_normal and
// tf.truncated_normal, so equal seeds give the same numbers as TensorFlow. `shape` is an int32 or
// int64 vector. Without a seed here or in the graph (Graph::SetSeed), every session draws different
// numbers. On an error, which the graph keeps, the functions return an invalid Output.

struct RandomUniformOptions {
  Input minval = 0;
  Input maxval = 1;
  DType dtype = kFloat;  // half, bfloat16, float, double, int32, int64
  std::optional<int64_t> seed = {};
  std::string name = "random_uniform";
};
// Uniform in [minval, maxval). Integer dtypes require an explicit maxval.
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
// A normal distribution truncated at two standard deviations from the mean.
RAMET_EXPORT Output TruncatedNormal(Graph& graph, const Input& shape,
                                    const RandomNormalOptions& options = {});

// Shuffles the rows (dimension 0) of `value`.
RAMET_EXPORT Output RandomShuffle(const Output& value, std::optional<int64_t> seed = {},
                                  std::string_view name = "RandomShuffle");

}  // namespace ramet
