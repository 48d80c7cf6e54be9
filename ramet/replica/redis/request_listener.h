#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/hash_worker.h"
#include "ramet/replica/redis/asking.h"
#include "ramet/replica/redis/publication.h"
#include "ramet/replica/redis/request_inbox.h"

namespace ramet::redis {

// A RequestListener answers the requests of followers, over the publication's link. Must be used on
// the thread that owns the publication. The arguments must outlive it, and `hasher` must be stopped
// before it is destroyed.
class RequestListener {
 public:
  // Callbacks into the publisher.
  struct Publisher {
    std::function<StatusOr<uint64_t>(uint64_t version)> rollback;
    std::function<PublisherStats()> stats;
    std::function<void()> changed;  // called after each request
  };

  RequestListener(const Server& server, Publication& publication, HashWorker& hasher,
                  const Signal& wake, Publisher publisher)
      : server_(server),
        publication_(publication),
        hasher_(hasher),
        wake_(wake),
        publisher_(std::move(publisher)),
        inbox_(server) {}
  RequestListener(const RequestListener&) = delete;
  RequestListener& operator=(const RequestListener&) = delete;

  // Waits for a request and answers it. Returns early when `wake` or the server's stop signal is
  // set or when the publication's next beat is due.
  void Listen();
  // Sends the requested hashes that are ready. `wake` is set when there are some.
  void SendHashes();
  // Call this when the publication gets a new connection. Listens on a new connection too.
  void Relink() { inbox_.Relink(); }

 private:
  Status Answered(const Request& request, Answer* answer);
  Status AskHashes(const Request& request, const Outgoing& kept);
  void SendAnswer(const std::string& id, const Answer& answer);
  void KeepHashes(const Answer& answer);
  void Store(const std::string& key, const Answer& answer, std::chrono::milliseconds time);

  const Server& server_;
  Publication& publication_;
  HashWorker& hasher_;
  const Signal& wake_;
  const Publisher publisher_;

  RequestInbox inbox_;
  std::vector<uint64_t> hashed_;

  Mutex mutex_;
  // From the hasher's thread.
  std::deque<std::pair<std::string, Answer>> hash_answers_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::redis
