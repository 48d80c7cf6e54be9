#pragma once

#include <memory>
#include <string>
#include <utility>

#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/redis_url.h"
#include "ramet/replica/redis/signal.h"

namespace ramet::redis {

// A Server is a publication's address on a Redis server: where it is, what its keys are called, and
// how to connect. Immutable, except that Set of `stop` ends all connections. Thread-safe.
struct Server {
  explicit Server(RedisUrl address) : url(std::move(address)), keys(url.name) {}
  // Connects to the node that has the publication's keys.
  // \error as for Connection::Open.
  StatusOr<std::unique_ptr<Connection>> Connect() const {
    return Connection::Open(url, keys.lock(), stop);
  }
  // Returns the address for use in messages.
  std::string where() const { return url.ToString(); }

  const RedisUrl url;
  const Keys keys;
  const Signal stop;
};

}  // namespace ramet::redis
