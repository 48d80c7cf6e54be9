#include "ramet/replica/hash_worker.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/replica/low_priority.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_hash.h"

namespace ramet {

void HashWorker::Stop() {
  std::deque<Question> left;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  left.swap(questions_);
  for (const Question& question : left) {
    for (const Done& done : question.asking) done(Unavailable("the publisher has ended"));
  }
}

bool HashWorker::idle() const {
  std::lock_guard lock(mutex_);
  return questions_.empty();
}

VersionHashes HashWorker::Known(uint64_t version) const {
  std::lock_guard lock(mutex_);
  const auto found = known_.find(version);
  return found == known_.end() ? VersionHashes() : found->second;
}

void HashWorker::Alias(uint64_t version, uint64_t of) {
  std::lock_guard lock(mutex_);
  if (const auto found = known_.find(of); found != known_.end()) known_[version] = found->second;
}

void HashWorker::Forget(uint64_t version) {
  std::lock_guard lock(mutex_);
  known_.erase(version);
}

Status HashWorker::Ask(uint64_t version, const std::function<Values()>& values, Done done) {
  std::lock_guard lock(mutex_);
  if (num_asking_ >= kMostAsking) {
    return ResourceExhausted(num_asking_, " questions for hashes wait already");
  }
  auto question = std::ranges::find(questions_, version, &Question::version);
  if (question == questions_.end()) {
    question = questions_.insert(question, {version, values(), {}});
  }
  question->asking.push_back(std::move(done));
  ++num_asking_;
  if (!thread_.joinable()) {
    if (const Status started = StartThread(&thread_, [this] { Work(); }); !started.ok()) {
      questions_.clear();
      num_asking_ = 0;
      return started;
    }
  }
  changed_.notify_all();
  return OkStatus();
}

void HashWorker::Work() {
  LowerPriority();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !questions_.empty(); });
    if (stopping_) return;
    Question& question = questions_.front();
    lock.unlock();
    StatusOr<VersionHashes> hashes = VersionHashes();
    const Status hashed = Guarded([&] {
      hashes = HashesOf(question.version, question.values);
      return OkStatus();
    });
    if (!hashed.ok()) hashes = hashed;
    question.values = {};
    lock.lock();
    const std::vector<Done> asking = std::move(question.asking);
    questions_.pop_front();
    num_asking_ -= asking.size();
    lock.unlock();
    for (const Done& done : asking) {
      Guarded([&] {
        done(hashes);
        return OkStatus();
      }).IgnoreError();
    }
    lock.lock();
  }
}

VersionHashes HashWorker::HashesOf(uint64_t version, const Values& values) {
  if (const VersionHashes known = Known(version); !known.content.empty()) return known;
  const VersionHashes hashes{SourceHash(signature_, values.values, values.sources),
                             ContentHash(signature_, values.values)};
  std::lock_guard lock(mutex_);
  known_[version] = hashes;
  return hashes;
}

}  // namespace ramet
