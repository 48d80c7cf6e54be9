#pragma once

#include <ramet/ramet.h>

#include <vector>

#include "inference/examples.h"
#include "tensorflow_serving/apis/classification.pb.h"
#include "tensorflow_serving/apis/inference.pb.h"
#include "tensorflow_serving/apis/input.pb.h"
#include "tensorflow_serving/apis/regression.pb.h"

// Converts between the messages of Classify, Regress and MultiInference and the server's own types.
namespace server {

// Moves the examples out of the message. `signature_name` may be empty.
ExamplesRequest TakeExamples(std::string signature_name, tensorflow::serving::Input* input);

tensorflow::serving::ClassificationResult ResultMessage(const Classifications& results);
tensorflow::serving::RegressionResult ResultMessage(const Regressions& results);

// Returns the tasks of a MultiInference call.
// \error kInvalidArgument: the tasks are for different models.
ramet::StatusOr<std::vector<InferenceTask>> TasksOf(
    const tensorflow::serving::MultiInferenceRequest& request);

}  // namespace server
