#pragma once

#include "rest/rest_call.h"

namespace server {

// Answers a request to the Open Inference Protocol's REST API (/v2...), with the extensions for
// binary tensors, the repository index and statistics.
void AnswerV2(const RestCallPtr& call);

}  // namespace server
