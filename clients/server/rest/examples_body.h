#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>

#include "inference/examples.h"

namespace server {

// Reads the body of a request to classify or regress.
// \error kInvalidArgument: the text is not JSON, or not such a request, with TensorFlow Serving's
//   texts.
ramet::StatusOr<ExamplesRequest> ReadExamplesBody(std::string_view json);

// Append the answers.
void WriteClassifications(const Classifications& result, std::string* out);
void WriteRegressions(const Regressions& result, std::string* out);

}  // namespace server
