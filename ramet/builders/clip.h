#pragma once

#include <string_view>
#include <vector>

#include "ramet/graph/add_op.h"

namespace ramet {

// GlobalNorm returns the Euclidean norm of all `tensors` together (tf.global_norm).
// ClipByGlobalNorm scales the tensors so that it is at most `clip_norm` (tf.clip_by_global_norm;
// NaN if the norm is not finite).
RAMET_EXPORT Output GlobalNorm(const std::vector<Output>& tensors,
                               std::string_view name = "global_norm");
RAMET_EXPORT std::vector<Output> ClipByGlobalNorm(const std::vector<Output>& tensors,
                                                  const Input& clip_norm,
                                                  std::string_view name = "clip_by_global_norm");

}  // namespace ramet
