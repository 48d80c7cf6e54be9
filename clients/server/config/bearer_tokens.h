#pragma once

#include <ramet/ramet.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace server {

// The tokens of clients that may use the server over gRPC and REST. Comparing takes the same time
// for every token of the same length, so that clients cannot guess one byte after the other.
// Thread-safe.
class BearerTokens {
 public:
  explicit BearerTokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}
  // Reads a file with one token per line. Empty lines and those that begin with # are skipped.
  // \error kNotFound: the file cannot be read.
  // \error kInvalidArgument: the file has no token, or one with spaces.
  static ramet::StatusOr<BearerTokens> FromFile(const std::string& path);

  // Reports whether `authorization`, a header of HTTP or the metadata of gRPC, is "Bearer TOKEN".
  bool Allows(std::string_view authorization) const;

 private:
  std::vector<std::string> tokens_;
};

}  // namespace server
