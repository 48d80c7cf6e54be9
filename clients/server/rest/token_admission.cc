#include "rest/token_admission.h"

#include <utility>

#include "json/json_text.h"

namespace server {
namespace {

bool IsPublic(const HttpRequest& request) {
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  return path == "/" || path == "/healthz" || path == "/livez" || path == "/readyz" ||
         path == "/v2/health/live" || path == "/v2/health/ready" || request.method == "OPTIONS";
}

}  // namespace

HttpAdmission AdmissionWith(BearerTokens tokens) {
  return [tokens = std::move(tokens)](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (IsPublic(request) || tokens.Allows(request.Header("Authorization"))) return std::nullopt;
    return HttpResponse{.status = 401,
                        .headers = {{"WWW-Authenticate", "Bearer"}},
                        .body = ErrorBody("this server needs a token; send the header "
                                          "Authorization: Bearer TOKEN")};
  };
}

}  // namespace server
