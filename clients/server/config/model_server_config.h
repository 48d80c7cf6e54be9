#pragma once

#include <ramet/ramet.h>

#include <vector>

#include "config/server_config.h"
#include "tensorflow_serving/config/model_server_config.pb.h"

namespace server {

// Returns the models of a configuration.
// \error kInvalidArgument: a model has no name or source, its platform is missing or not
//   "tensorflow", or a rate of sampling is not in [0, 1]. Also for a custom_model_config.
ramet::StatusOr<std::vector<ModelConfig>> ModelConfigsOf(
    const tensorflow::serving::ModelServerConfig& config);

}  // namespace server
