#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/hash_worker.h"
#include "ramet/replica/redis/asking.h"
#include "ramet/replica/redis/publication.h"

namespace ramet::redis {

// A RequestListener receives the requests of followers through the server and answers them. It
// receives on its own connection and answers on the publication's. Must be used on the thread that
// owns the publication. The arguments must outlive it, and `hasher` must be stopped before it is
// destroyed.
class RequestListener {
 public:
  // Callbacks into the publisher.
  struct Publisher {
    std::function<StatusOr<uint64_t>(uint64_t version)> rollback;
    std::function<PublisherStats()> stats;
    std::function<void()> changed;  // called after each request
  };

  RequestListener(Publication& publication, HashWorker& hasher, Signal& wake, const Signal& stop,
                  Publisher publisher)
      : publication_(publication),
        hasher_(hasher),
        wake_(wake),
        stop_(stop),
        publisher_(std::move(publisher)) {}
  RequestListener(const RequestListener&) = delete;
  RequestListener& operator=(const RequestListener&) = delete;

  // Waits for a request and answers it. Returns early when `wake` or `stop` is set or when the
  // publication's next beat is due.
  void Listen();
  // Sends the requested hashes that are ready. `wake` is set when there are some.
  void SendHashes();
  // Call this when the publication has a new connection. Listens on a new connection too.
  void Relink();

 private:
  void WaitForWake();
  bool IsListening();
  void TakeRequest();
  Status Answered(const Request& request, Answer* answer);
  Status AskHashes(const Request& request);
  void SendAnswer(const std::string& id, const Answer& answer);
  void KeepHashes(const Answer& answer);

  Publication& publication_;
  HashWorker& hasher_;
  Signal& wake_;
  const Signal& stop_;
  const Publisher publisher_;

  std::unique_ptr<Connection> connection_;
  Clock::time_point listening_until_;
  bool is_deaf_ = false;  // requests cannot be read until Relink
  std::vector<uint64_t> hashed_;

  Mutex mutex_;
  // From the hasher's thread.
  std::deque<std::pair<std::string, Answer>> hash_answers_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::redis
