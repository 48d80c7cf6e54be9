#pragma once

#include <ramet/ramet.h>

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

struct WarmupOptions {
  bool enabled = true;
  int iterations = 1;            // how often each request of a file is run
  WarmupRequests requests = {};  // null: no version has any
};

// Runs the graph before the version becomes available: the requests of its file, or else the
// `recent` runs of an earlier version, or else each signature once with zeros. Only failing
// requests of the file are errors.
// \error as for WarmupRequests, Predict, Classify, Regress and MultiInference.
ramet::Status WarmUp(const std::shared_ptr<ModelVersion>& version, const std::string& folder,
                     const std::vector<RecentRuns::Run>& recent, const WarmupOptions& options);

}  // namespace server
