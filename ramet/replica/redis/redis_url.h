#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet::redis {

// A publication on a Redis server, and how this side uses it.
struct RedisUrl {
  bool tls = false;
  std::string host;
  uint16_t port = 6379;
  std::string user;      // empty: the default user
  std::string password;  // empty: none
  int db = 0;
  std::string name;
  std::string ca, cert, key;  // files for TLS; an empty `ca`: what the system trusts
  // How long a publisher that says nothing keeps the name; how long values stay without it.
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds ttl{3'600'000};
  // How often followers look without having been told; how long an answer may take.
  std::chrono::milliseconds poll{1'000};
  std::chrono::milliseconds timeout{10'000};
  size_t chunk_bytes = size_t{4} << 20;
  int zstd = 0;            // level of compression; 0: none
  uint64_t max_bytes = 0;  // followers take no more than this; 0: the machine's memory

  // "redis://host:port/name": what messages say; without user and password.
  std::string ToString() const;
};

constexpr size_t kLeastChunkBytes = 1024;
constexpr size_t kMostChunkBytes = size_t{64} << 20;

// `place` is what follows "redis:": "//[user[:password]@]host[:port]/name[?option=value&...]". What
// is not in it comes from the environment: RAMET_REDIS_USER, RAMET_REDIS_PASSWORD, RAMET_REDIS_CA,
// RAMET_REDIS_CERT, RAMET_REDIS_KEY.
// \error kInvalidArgument, which does not show the password.
StatusOr<RedisUrl> ParseRedisUrl(std::string_view scheme, std::string_view place);

}  // namespace ramet::redis
