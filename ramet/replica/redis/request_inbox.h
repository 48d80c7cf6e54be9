#pragma once

#include <memory>
#include <optional>

#include "ramet/replica/redis/asking.h"
#include "ramet/replica/redis/server.h"

namespace ramet::redis {

// A RequestInbox receives the requests of followers from a list on the server, over a connection of
// its own. Not thread-safe.
class RequestInbox {
 public:
  // `server` must outlive the inbox.
  explicit RequestInbox(const Server& server) : server_(server) {}
  RequestInbox(const RequestInbox&) = delete;
  RequestInbox& operator=(const RequestInbox&) = delete;

  // Waits for a request. Returns nothing at `deadline`, when `wake` or the server's stop signal is
  // set, or when what came is not a request.
  std::optional<Request> Next(const Signal& wake, Clock::time_point deadline);
  // Continues on a new connection.
  void Relink();

 private:
  bool IsListening();
  void AskForNext();

  const Server& server_;
  std::unique_ptr<Connection> connection_;
  Clock::time_point listening_until_;
  bool is_deaf_ = false;  // requests cannot be read until Relink
};

}  // namespace ramet::redis
