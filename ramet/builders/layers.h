#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ramet/graph/scope.h"

namespace ramet {

// Layers like those in tf.layers: functions that make variables and the nodes that use them. On an
// error, which the graph keeps, they return an invalid Output.

struct DenseOptions {
  std::function<Output(const Output&)> activation = {};  // default: none
  bool use_bias = true;
  Initializer kernel_initializer = {};  // default: the variable scope's, else glorot uniform
  Initializer bias_initializer = {};    // default: zeros
  bool trainable = true;
  std::string name = {};  // default: "dense", "dense_1", ...
};
// Returns activation(x * kernel + bias). x is [..., n] with known n; the result is [..., units].
// The variables "<name>/kernel" [n, units] and "<name>/bias" [units] are made, or reused if the
// open variable scope says so.
RAMET_EXPORT Output Dense(Scope& scope, const Output& x, int64_t units,
                          const DenseOptions& options = {});

// Flattens all dimensions of x except the first: [batch, ...] -> [batch, n]. They must be known.
RAMET_EXPORT Output Flatten(const Output& x, std::string_view name = "flatten");

struct DropoutOptions {
  std::optional<int64_t> seed = {};
  std::string name = "dropout";
};
// Keeps each element of x with probability `keep_prob` (in (0, 1], or a scalar tensor), scales it
// by 1 / keep_prob, and sets the others to zero. x has a floating dtype. tf.nn.dropout.
RAMET_EXPORT Output Dropout(const Output& x, const Input& keep_prob,
                            const DropoutOptions& options = {});

}  // namespace ramet
