#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "ramet/replica/transport.h"

namespace ramet {

// A HashWorker hashes versions on a thread of its own, one at a time, when somebody asks, and keeps
// what it found. The thread begins with the first question. Thread-safe.
class HashWorker {
 public:
  // In the order of the signature; `sources` as of PublisherTransport::Publish.
  struct Values {
    std::vector<Tensor> values, sources;
  };
  // Called on the worker's thread; must not throw.
  using Done = std::function<void(const StatusOr<VersionHashes>&)>;
  static constexpr size_t kMostAsking = 4096;

  explicit HashWorker(ReplicaSignature signature) : signature_(std::move(signature)) {}
  HashWorker(const HashWorker&) = delete;
  HashWorker& operator=(const HashWorker&) = delete;
  ~HashWorker() { Stop(); }
  // Ends the thread; questions that are not begun are answered with kUnavailable. Nobody asks after
  // this.
  void Stop();

  // Whether nobody waits for an answer, and no values are held for one.
  bool idle() const;
  // What is known of a version already; empty strings if nothing is.
  VersionHashes Known(uint64_t version) const;
  // Answers by `done`, soon. `values` is called, before this returns, unless somebody else waits
  // for that version already; what it gives is held until then. \error kResourceExhausted if
  // kMostAsking wait.
  Status Ask(uint64_t version, const std::function<Values()>& values, Done done);
  // What is known of version `of` is true of `version` as well.
  void Alias(uint64_t version, uint64_t of);
  // The version is not kept any more.
  void Forget(uint64_t version);

 private:
  struct Question {
    uint64_t version;
    Values values;
    std::vector<Done> asking;
  };
  void Work();
  VersionHashes HashesOf(uint64_t version, const Values& values);

  const ReplicaSignature signature_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_;  // the first one is worked on
  size_t num_asking_ = 0;
  std::map<uint64_t, VersionHashes> known_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ramet
