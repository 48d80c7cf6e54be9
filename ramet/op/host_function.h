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

// A function of the program that a graph calls: it gets the inputs of its node, in host memory and
// not to be written, and returns the outputs, whose number and dtypes the node's Tout states.
using HostFunction = std::function<StatusOr<std::vector<Tensor>>(std::span<const Tensor> inputs)>;

// The functions that the ops PyFunc and PyFuncStateless call, by the token that their nodes hold
// (tf.py_func). A graph that is read from a file finds only what this process registered.
// Thread-safe.
//
// RegisterHostFunction: \error kAlreadyExists if the token is taken; kInvalidArgument if the
// function is empty.
RAMET_EXPORT Status RegisterHostFunction(std::string_view token, HostFunction function);
// False if there is none. A call that is running goes on.
RAMET_EXPORT bool UnregisterHostFunction(std::string_view token);
// \error kNotFound naming the token.
RAMET_EXPORT StatusOr<HostFunction> FindHostFunction(std::string_view token);

}  // namespace ramet
