#pragma once

#include <deque>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/transport.h"

namespace ramet {

// A HashWorker hashes versions on request, one at a time on its own thread, and keeps the results.
// The first request starts the thread. Thread-safe.
class HashWorker {
 public:
  // In the order of the signature. `sources` is as for PublisherTransport::Publish.
  struct Values {
    std::vector<Tensor> values, sources;
  };
  // Called on the worker's thread; must not throw.
  using Done = std::function<void(const StatusOr<VersionHashes>&)>;
  static constexpr size_t kMaxAsking = 4096;

  explicit HashWorker(ReplicaSignature signature) : signature_(std::move(signature)) {}
  HashWorker(const HashWorker&) = delete;
  HashWorker& operator=(const HashWorker&) = delete;
  ~HashWorker() { Stop(); }
  // Ends the thread and answers the remaining requests with kUnavailable. Ask must not be called
  // after this.
  void Stop();

  // Reports whether there are no requests, and so no values are held.
  bool idle() const;
  // Returns the hashes of a version, or empty strings if they are not known.
  VersionHashes Known(uint64_t version) const;
  // Requests the hashes of a version; `done` is called with the answer. Calls `values` before
  // returning, unless there is already a request for that version. Holds the values until they are
  // hashed.
  // \error kResourceExhausted: too many requests are waiting.
  Status Ask(uint64_t version, const std::function<Values()>& values, Done done);
  // Copies the known hashes of version `of` to `version`.
  void Alias(uint64_t version, uint64_t of);
  // Drops the hashes of a version that is no longer kept.
  void Forget(uint64_t version);

 private:
  struct Question {
    uint64_t version;
    Values values;
    std::vector<Done> asking;
  };
  void Work();
  // Waits for a question. Returns null when the thread must end.
  Question* NextQuestion() RAMET_EXCLUDES(mutex_);
  // Removes the first question and returns its callbacks.
  std::vector<Done> TakeCallbacks() RAMET_EXCLUDES(mutex_);
  VersionHashes HashesOf(uint64_t version, const Values& values) RAMET_EXCLUDES(mutex_);

  const ReplicaSignature signature_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Question> questions_ RAMET_GUARDED_BY(mutex_);  // the first one is being answered
  size_t num_asking_ RAMET_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, VersionHashes> known_ RAMET_GUARDED_BY(mutex_);
  bool stopping_ RAMET_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace ramet
