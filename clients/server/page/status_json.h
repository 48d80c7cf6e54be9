#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <string>

#include "metrics/serving_metrics.h"
#include "model/model_manager.h"
#include "page/traffic_history.h"

namespace server {

// Returns what the page shows, as JSON: the server, and each model with its versions, labels,
// signatures and traffic.
std::string StatusJson(const ModelManager& manager, const TrafficHistory& history,
                       std::chrono::steady_clock::duration uptime);

}  // namespace server
