#pragma once

#include <memory>

#include "ramet/replica/redis/server.h"

namespace ramet::redis {

// A Link is a connection to a server that can be closed and opened again. Not thread-safe.
class Link {
 public:
  // `server` must outlive the link.
  explicit Link(const Server& server) : server_(server) {}
  // Opens a new connection.
  // \error as for Server::Connect.
  Status Open() {
    RAMET_ASSIGN_OR_RETURN(connection_, server_.Connect());
    return OkStatus();
  }
  void Close() { connection_.reset(); }
  bool usable() const { return connection_ && connection_->usable(); }
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  const Server& server_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace ramet::redis
