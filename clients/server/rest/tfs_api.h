#pragma once

#include "rest/rest_call.h"

namespace server {

// Answers a request to TensorFlow Serving's REST API (/v1/...).
void AnswerTfs(const RestCallPtr& call);

}  // namespace server
