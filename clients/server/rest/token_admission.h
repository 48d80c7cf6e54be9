#pragma once

#include "config/bearer_tokens.h"
#include "http/http_message.h"

namespace server {

// Returns an admission that refuses requests without a token, except for the page, which asks for
// one, and for health.
HttpAdmission AdmissionWith(BearerTokens tokens);

}  // namespace server
