#pragma once

#include <ramet/ramet.h>

#include <functional>
#include <vector>

#include "config/server_config.h"
#include "log/request_log.h"
#include "metrics/serving_metrics.h"
#include "model/model_manager.h"
#include "proto/tensor_message.h"

namespace server {

// The parts of the server that the handlers of calls use. The pointers outlive the GrpcServer.
struct Services {
  ModelManager* manager = nullptr;
  ServingMetrics* metrics = nullptr;  // may be null
  RequestLog* log = nullptr;          // may be null
  TensorForm tensor_form = TensorForm::kTypedList;
  // Replaces the configuration; ModelManager::Reload if it is empty.
  std::function<ramet::Status(std::vector<ModelConfig>)> reload = {};
};

}  // namespace server
