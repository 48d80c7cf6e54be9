#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

#include "inference/examples.h"
#include "json/tensor_writer.h"

namespace server {

// Reads the body of a request to classify or regress.
// \error kInvalidArgument: the text is not JSON, or not such a request, with TensorFlow Serving's
//   texts.
ramet::StatusOr<ExamplesRequest> ReadExamplesBody(std::string_view json);

// Append the answers.
// \error kInvalidArgument: NonFinite::kError, and there is such a number.
ramet::Status WriteClassifications(const Classifications& result, NonFinite non_finite,
                                   std::string* out);
ramet::Status WriteRegressions(const Regressions& result, NonFinite non_finite, std::string* out);

}  // namespace server
