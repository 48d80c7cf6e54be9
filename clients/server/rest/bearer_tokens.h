#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>
#include <vector>

#include "http/http_message.h"

namespace server {

// The tokens of clients that may use the server. Comparing takes the same time for every token of
// the same length, so that clients cannot guess one byte after the other. Thread-safe.
class BearerTokens {
 public:
  // Reads a file with one token per line. Empty lines and those that begin with # are skipped.
  // \error kNotFound: the file cannot be read.
  // \error kInvalidArgument: the file has no token, or one with spaces.
  static ramet::StatusOr<BearerTokens> FromFile(const std::string& path);

  const std::vector<std::string>& tokens() const { return tokens_; }
  // Reports whether the value of the header Authorization is "Bearer TOKEN".
  bool Allows(std::string_view authorization) const;
  // Refuses requests without a token, except for the page, which asks for one, and for health.
  HttpAdmission Admission() const;

 private:
  std::vector<std::string> tokens_ = {};
};

}  // namespace server
