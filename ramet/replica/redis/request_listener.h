#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ramet/replica/hash_worker.h"
#include "ramet/replica/redis/asking.h"
#include "ramet/replica/redis/publication.h"

namespace ramet::redis {

// A RequestListener hears what followers ask of a publisher through the server, and answers. It
// listens on a connection of its own and answers on the publication's. On the thread that owns the
// publication; what is referred to must stay, and `hasher` must have ended before it does.
class RequestListener {
 public:
  // What the publisher does itself.
  struct Publisher {
    std::function<StatusOr<uint64_t>(uint64_t version)> rollback;
    std::function<PublisherStats()> stats;
    std::function<void()> changed;  // after each request that was carried out
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

  // Waits for a request (and answers it), for `wake`, `stop` or the time of the publication's next
  // beat.
  void Listen();
  // Sends the hashes that were asked for and are there by now; `wake` is set when some are.
  void SendHashes();
  // The publication has a new connection: listens anew, too.
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
  bool is_deaf_ = false;  // requests cannot be read, until it listens anew
  std::vector<uint64_t> hashed_;

  std::mutex mutex_;
  std::deque<std::pair<std::string, Answer>> hash_answers_;  // from the hasher's thread
};

}  // namespace ramet::redis
