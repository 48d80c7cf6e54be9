#include "config/bearer_tokens.h"

#include <openssl/crypto.h>

#include <fstream>
#include <utility>

#include "config/ascii_case.h"

namespace server {
namespace {

bool Equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
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
  std::vector<std::string> tokens;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string_view token = Trim(line);
    if (token.empty() || token.starts_with('#')) continue;
    if (token.find_first_of(" \t") != std::string_view::npos) {
      return ramet::InvalidArgument("token file '", path, "', line ", number,
                                    ": a token has no spaces; write one token per line");
    }
    tokens.emplace_back(token);
  }
  if (tokens.empty()) {
    return ramet::InvalidArgument("token file '", path, "' has no token; write one per line");
  }
  return BearerTokens(std::move(tokens));
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

}  // namespace server
