#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ramet/graph/scope.h"

namespace ramet {

// Layers as in tf.layers: a function that makes its variables and the nodes that use them. They
// return an invalid Output after an error, which the graph keeps.

struct DenseOptions {
  std::function<Output(const Output&)> activation = {};  // default: none
  bool use_bias = true;
  Initializer kernel_initializer = {};  // default: the variable scope's, else glorot uniform
  Initializer bias_initializer = {};    // default: zeros
  bool trainable = true;
  std::string name = {};  // default: "dense", "dense_1", ...
};
// activation(x * kernel + bias): x is [..., n] with n known, the result [..., units]. Variables
// "<name>/kernel" [n, units] and "<name>/bias" [units], made under the open variable scope or,
// where it says so, reused.
RAMET_EXPORT Output Dense(Scope& scope, const Output& x, int64_t units,
                          const DenseOptions& options = {});

// x with all dimensions but the first as one: [batch, ...] -> [batch, n]. These must be known.
RAMET_EXPORT Output Flatten(const Output& x, std::string_view name = "flatten");

struct DropoutOptions {
  std::optional<int64_t> seed = {};
  std::string name = "dropout";
};
// Keeps each element of x with probability `keep_prob` (in (0, 1], or a scalar tensor of it) and
// scales what is kept by 1 / keep_prob; the others become zero. x is of a floating dtype.
// tf.nn.dropout.
RAMET_EXPORT Output Dropout(const Output& x, const Input& keep_prob,
                            const DropoutOptions& options = {});

}  // namespace ramet
