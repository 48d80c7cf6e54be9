#include "rest/bearer_tokens.h"

#include <openssl/crypto.h>

#include <fstream>
#include <utility>

#include "json/json_text.h"

namespace server {
namespace {

bool Equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool IsPublic(const HttpRequest& request) {
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  return path == "/" || path == "/healthz" || path == "/livez" || path == "/readyz" ||
         path == "/v2/health/live" || path == "/v2/health/ready" || request.method == "OPTIONS";
}

std::string_view Trim(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

ramet::StatusOr<BearerTokens> BearerTokens::FromFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return ramet::NotFound("token file '", path, "' cannot be read");
  BearerTokens tokens;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string_view token = Trim(line);
    if (token.empty() || token.starts_with('#')) continue;
    if (token.find_first_of(" \t") != std::string_view::npos) {
      return ramet::InvalidArgument("token file '", path, "', line ", number,
                                    ": a token has no spaces; write one token per line");
    }
    tokens.tokens_.emplace_back(token);
  }
  if (tokens.tokens_.empty()) {
    return ramet::InvalidArgument("token file '", path, "' has no token; write one per line");
  }
  return tokens;
}

bool BearerTokens::Allows(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size() ||
      !EqualsIgnoringCase(authorization.substr(0, kScheme.size()), kScheme)) {
    return false;
  }
  const std::string_view given = Trim(authorization.substr(kScheme.size()));
  bool allowed = false;
  for (const std::string& token : tokens_) allowed |= Equal(token, given);
  return allowed;
}

HttpAdmission BearerTokens::Admission() const {
  return [tokens = *this](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (IsPublic(request) || tokens.Allows(request.Header("Authorization"))) return std::nullopt;
    return HttpResponse{.status = 401,
                        .headers = {{"WWW-Authenticate", "Bearer"}},
                        .body = ErrorBody("this server needs a token; send the header "
                                          "Authorization: Bearer TOKEN")};
  };
}

}  // namespace server
