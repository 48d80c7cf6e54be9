#pragma once

#include <ramet/ramet.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model_version.h"

namespace server {

using NamedTensors = std::vector<std::pair<std::string, ramet::Tensor>>;

struct PredictRequest {
  std::string signature_name = {};              // empty: "serving_default"
  NamedTensors inputs = {};                     // by the names of the signature
  std::vector<std::string> output_filter = {};  // empty: all outputs
};

struct PredictResponse {
  std::string signature_name = {};  // never empty
  NamedTensors outputs = {};        // in the order of the names
  AnsweredBy answered_by = {};
};
using PredictDone = std::function<void(ramet::StatusOr<PredictResponse>)>;

// Runs a signature of a version and passes the result to `done`, in this thread or a different one.
// \error kFailedPrecondition: the version has no such signature.
// \error kInvalidArgument: an input is missing or unknown or has a different dtype, or the filter
//   has an unknown name or one name twice.
// \error as for ModelVersion::Run.
void Predict(const std::shared_ptr<ModelVersion>& version, PredictRequest request,
             const RunLimits& limits, PredictDone done);

}  // namespace server
