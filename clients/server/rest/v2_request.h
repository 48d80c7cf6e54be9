#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inference/predict.h"

namespace server {

// An inference request of the Open Inference Protocol.
struct V2Request {
  struct Output {
    std::string name = {};
    std::optional<bool> binary = {};
  };
  std::string id = {};
  PredictRequest predict = {};
  std::vector<Output> outputs = {};  // in the order of the answer; empty: all
  bool binary_output = false;        // of outputs that do not say
};

// Reads the body of a request: JSON, and behind it the bytes of its binary tensors.
// `json_length` is the header Inference-Header-Content-Length, or empty.
// \error kInvalidArgument: the body is malformed.
ramet::StatusOr<V2Request> ReadV2Request(std::string_view body, std::string_view json_length,
                                         int64_t max_elements);

// Appends the answer. If it has binary outputs, `*json_bytes` is the length of its JSON.
// \error kInvalidArgument: JSON cannot express an output.
ramet::Status WriteV2Answer(const std::string& model, const V2Request& request,
                            const PredictResponse& response, std::string* out,
                            std::optional<size_t>* json_bytes);

}  // namespace server
