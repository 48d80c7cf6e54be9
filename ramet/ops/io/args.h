#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ramet/op/kernel.h"

namespace ramet {

// Returns the only element of a string tensor of rank 0 or with one element.
// \error kInvalidArgument: "NAME must be a scalar, but has shape [2]".
StatusOr<std::string> StringArg(const Tensor& t, std::string_view name);
// Returns the elements of a string tensor of rank 0 or 1, which the tensor owns.
// \error kInvalidArgument: the rank is higher.
StatusOr<std::span<const std::string>> StringsArg(const Tensor& t, std::string_view name);

}  // namespace ramet
