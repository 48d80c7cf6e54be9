#pragma once

#include <ramet/ramet.h>

#include <string>

namespace server {

// An address that a server listens on: a host and a port, or the path of a Unix socket.
struct ListenAddress {
  std::string host = {};  // an IP address; "::" and any_host for every interface
  int port = 0;
  bool any_host = false;
  std::string unix_path = {};  // not empty: a Unix socket
};

// Parses "127.0.0.1:8501", "[::1]:8501", "localhost:8501", "*:8501" or "unix:/path".
// \error kInvalidArgument: the text has a different form.
ramet::StatusOr<ListenAddress> ParseListenAddress(const std::string& text);

// Removes a Unix socket at `path` that no process listens on, so that it can be bound again.
void RemoveStaleSocket(const std::string& path);

}  // namespace server
