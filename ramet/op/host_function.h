#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A function of the program that a graph calls (tf.py_func). It gets the inputs of its node, in
// host memory and read-only, and returns the outputs. Their number and dtypes must match the node's
// Tout.
using HostFunction = std::function<StatusOr<std::vector<Tensor>>(std::span<const Tensor> inputs)>;

// Registers the function that PyFunc and PyFuncStateless nodes with this token call. A graph read
// from a file finds only functions that this process registered. Thread-safe.
//
// \error kAlreadyExists: the token is taken.
// \error kInvalidArgument: the function is empty.
RAMET_EXPORT Status RegisterHostFunction(std::string_view token, HostFunction function);
// Removes a function. Returns false if there is none. Running calls continue.
RAMET_EXPORT bool UnregisterHostFunction(std::string_view token);
// Finds a function.
// \error kNotFound: no function has this token. The message names it.
RAMET_EXPORT StatusOr<HostFunction> FindHostFunction(std::string_view token);

}  // namespace ramet
