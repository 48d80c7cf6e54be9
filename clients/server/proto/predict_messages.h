#pragma once

#include <ramet/ramet.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inference/predict.h"
#include "model/model_spec.h"
#include "proto/pieces.h"
#include "proto/tensor_message.h"

namespace server {

// A PredictMessage is a parsed tensorflow.serving.PredictRequest whose tensors still are bytes. It
// borrows the bytes of the message.
struct PredictMessage {
  std::optional<ModelSpec> spec = {};
  std::map<std::string_view, std::string_view> inputs = {};  // serialized TensorProto
  std::vector<std::string> output_filter = {};
};

// \error kInvalidArgument: the bytes are not a PredictRequest.
ramet::StatusOr<PredictMessage> ParsePredict(std::string_view bytes);
// Parses the tensors. A message without a spec asks for the default signature.
// \error kInvalidArgument: "tensor parsing error: NAME".
ramet::StatusOr<PredictRequest> PredictRequestOf(const PredictMessage& message);

// Writes a tensorflow.serving.PredictResponse.
// \error as for WriteTensor.
ramet::StatusOr<Pieces> WritePredictResponse(const ModelVersion& version,
                                             const PredictResponse& response, TensorForm form);
// Writes a tensorflow.serving.PredictRequest, for the log of requests that did not come as one.
// \error as for WriteTensor.
ramet::StatusOr<Pieces> WritePredictRequest(const ModelSpec& spec, const PredictRequest& request);

}  // namespace server
