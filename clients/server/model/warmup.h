#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "inference/examples.h"
#include "inference/predict.h"
#include "model/model_version.h"
#include "model/recent_runs.h"

namespace server {

struct ClassifyWarmup {
  ExamplesRequest request = {};
};
struct RegressWarmup {
  ExamplesRequest request = {};
};
struct MultiInferenceWarmup {
  std::vector<InferenceTask> tasks = {};
  ExamplesRequest request = {};
};
using WarmupRequest =
    std::variant<PredictRequest, ClassifyWarmup, RegressWarmup, MultiInferenceWarmup>;

// Returns the warm-up requests of the version in a folder, in the order of its file; none if it has
// no file of them.
// \error any error makes the version fail to load.
using WarmupRequests =
    std::function<ramet::StatusOr<std::vector<WarmupRequest>>(const std::string& version_folder)>;

// Describes a warm-up that has ended, for the metrics.
struct WarmupEvent {
  std::string path = {};
  ramet::Code code = ramet::Code::kOk;
  std::chrono::nanoseconds time{0};
  uint64_t records = 0;  // of the file
};

struct WarmupOptions {
  bool enabled = true;
  int iterations = 1;                                    // how often each request of a file is run
  WarmupRequests requests = {};                          // null: no version has any
  std::function<void(const WarmupEvent&)> on_done = {};  // may be null
};

// Runs the graph of the version at `path` before it becomes available: the requests of its file, or
// else the `recent` runs of an earlier version, or else each signature once with zeros. Only
// failing requests of the file are errors.
// \error as for WarmupRequests, Predict, Classify, Regress and MultiInference.
ramet::Status WarmUp(const std::shared_ptr<ModelVersion>& version, const std::string& path,
                     const std::vector<RecentRuns::Run>& recent, const WarmupOptions& options);

}  // namespace server
