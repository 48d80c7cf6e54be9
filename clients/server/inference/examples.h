#pragma once

#include <ramet/ramet.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/model_version.h"

namespace server {

// Examples for a signature that classifies or regresses (tensorflow.serving.Input).
struct ExamplesRequest {
  std::string signature_name = {};         // empty: "serving_default"
  std::vector<std::string> examples = {};  // serialized tensorflow.Example
  // A serialized Example whose features are added to each example. In case of both, the feature of
  // the example is used.
  std::string context = {};
};

struct Class {
  std::string label = {};
  float score = 0;
};
using Classifications = std::vector<std::vector<Class>>;  // per example
using Regressions = std::vector<float>;                   // per example

template <class Result>
struct ExamplesResponse {
  std::string signature_name = {};  // never empty
  Result result = {};
  AnsweredBy answered_by = {};
};
template <class Result>
using ExamplesDone = std::function<void(ramet::StatusOr<ExamplesResponse<Result>>)>;

// Run a signature that classifies or regresses and pass the result to `done`, in this thread or a
// different one.
// \error kInvalidArgument: no example was given, the version lacks the signature, the signature
//   does not have the inputs and outputs that this needs, or the outputs have other shapes.
// \error as for ModelVersion::Run.
void Classify(const std::shared_ptr<ModelVersion>& version, ExamplesRequest request,
              const RunLimits& limits, ExamplesDone<Classifications> done);
void Regress(const std::shared_ptr<ModelVersion>& version, ExamplesRequest request,
             const RunLimits& limits, ExamplesDone<Regressions> done);

// One head of a multi-inference.
struct InferenceTask {
  std::string signature_name = {};
  std::string method_name = {};  // "tensorflow/serving/classify" or ".../regress"
};
using TaskResult = std::variant<Classifications, Regressions>;

// Runs several heads on the same examples in one run. The results are in the order of the tasks.
// \error kUnimplemented: a method name is neither of the two.
// \error kInvalidArgument: two tasks have the same signature.
// \error as for Classify.
void MultiInference(const std::shared_ptr<ModelVersion>& version,
                    const std::vector<InferenceTask>& tasks, ExamplesRequest request,
                    const RunLimits& limits, ExamplesDone<std::vector<TaskResult>> done);

}  // namespace server
