#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "inference/predict.h"
#include "model/model_version.h"

namespace server {

// The two forms of a predict request: a list of rows, or whole tensors.
enum class PredictForm : uint8_t { kRows, kColumns };

struct PredictBody {
  PredictRequest request = {};
  PredictForm form = PredictForm::kRows;
};

// Reads the body of a predict request. Numbers go straight into the tensors of the signature's
// dtypes. If the name of the signature comes after the tensors, the text is read twice.
// \error kInvalidArgument: the text is not JSON, or not a request for one of the signatures.
// \error kUnimplemented: JSON cannot express the dtype of an input.
// \error kResourceExhausted: the tensors do not fit into memory.
ramet::StatusOr<PredictBody> ReadPredictBody(std::string_view json, const Signatures& signatures,
                                             int64_t max_elements);
// Returns the errors that ReadPredictBody reports for every model.
ramet::Status CheckPredictBody(std::string_view json);

// Appends the answer to a predict request.
// \error kInvalidArgument: an output has no rows in the form kRows, or JSON cannot express it.
ramet::Status WritePredictAnswer(PredictForm form, const NamedTensors& outputs, std::string* out);

}  // namespace server
