#pragma once

#include <memory>
#include <string>

#include "ramet/replica/redis/connection.h"

namespace ramet::redis {

// A Link is a connection to a server that can be closed and opened again. Not thread-safe.
class Link {
 public:
  // Opens connections to the node that has `key`. The references must outlive the link.
  Link(const RedisUrl& url, std::string key, const Signal& stop)
      : url_(url), key_(std::move(key)), stop_(stop) {}
  // Opens a new connection.
  // \error as for Connection::Open.
  Status Open() {
    RAMET_ASSIGN_OR_RETURN(connection_, Connection::Open(url_, key_, stop_));
    return OkStatus();
  }
  void Close() { connection_.reset(); }
  bool usable() const { return connection_ && connection_->usable(); }
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  const RedisUrl& url_;
  const std::string key_;
  const Signal& stop_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace ramet::redis
