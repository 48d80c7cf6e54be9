#pragma once

#include <chrono>
#include <thread>

#include "ramet/replica/redis/seen_state.h"
#include "ramet/replica/redis/server.h"

namespace ramet::redis {

// A PublicationWatch is the thread of a follower that keeps a SeenState up to date. It connects
// again when a connection is cut.
class PublicationWatch {
 public:
  // The arguments must outlive the watch.
  PublicationWatch(const Server& server, SeenState& seen) : server_(server), seen_(seen) {}
  PublicationWatch(const PublicationWatch&) = delete;
  PublicationWatch& operator=(const PublicationWatch&) = delete;
  // Waits for the thread. Before, the state must be interrupted and the server's stop signal set.
  ~PublicationWatch();
  // \error kUnavailable: the system cannot start a thread.
  Status Start();

 private:
  static constexpr std::chrono::milliseconds kFirstPause{20};

  void Run();
  Status ListenOn(Connection& notices, Connection& looks);
  void NoteCut(const Status& why);

  const Server& server_;
  SeenState& seen_;
  std::thread thread_;

  // Used by the thread only.
  std::chrono::milliseconds pause_ = kFirstPause;
  bool has_warned_ = false;
};

}  // namespace ramet::redis
