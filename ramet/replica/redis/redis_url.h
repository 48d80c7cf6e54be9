#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet::redis {

// How a connection is encrypted, and the files for that.
struct TlsSettings {
  bool enabled = false;
  std::string ca;         // empty: the system's certificates
  std::string cert, key;  // of this side; empty: none
};

struct Login {
  std::string user;      // empty: the default user
  std::string password;  // empty: no password
};

struct Times {
  // How long a silent publisher keeps its name, and how long the values stay without a publisher.
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds ttl{3'600'000};
  // How often followers look without a notification, and how long an answer may take.
  std::chrono::milliseconds poll{1'000};
  std::chrono::milliseconds timeout{10'000};
};

// The address of a publication on a Redis server, with the options for this side.
struct RedisUrl {
  std::string host;
  uint16_t port = 6379;
  TlsSettings tls;
  Login login;
  int db = 0;
  std::string name;
  Times times;
  size_t chunk_bytes = size_t{4} << 20;
  int zstd = 0;            // compression level; 0: no compression
  uint64_t max_bytes = 0;  // followers accept at most this much; 0: the machine's memory

  // Returns "redis://host:port/name" for use in messages, without user and password.
  std::string ToString() const;
};

constexpr size_t kMinChunkBytes = 1024;
constexpr size_t kMaxChunkBytes = size_t{64} << 20;

// Parses `location`, the part after the scheme:
// "//[user[:password]@]host[:port]/name[?option=value...]". Missing parts come from the
// environment: RAMET_REDIS_USER, RAMET_REDIS_PASSWORD, RAMET_REDIS_CA, RAMET_REDIS_CERT,
// RAMET_REDIS_KEY.
// \error kInvalidArgument: the address is invalid. The message does not show the password.
StatusOr<RedisUrl> ParseRedisUrl(std::string_view scheme, std::string_view location);

}  // namespace ramet::redis
