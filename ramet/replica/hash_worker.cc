#include "ramet/replica/hash_worker.h"

#include "ramet/replica/low_priority.h"
#include "ramet/replica/version_hash.h"

namespace ramet {

void HashWorker::Stop() {
  std::deque<Question> left;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(questions_);
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (const Question& question : left) question.done(Unavailable("the publisher has ended"));
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

void HashWorker::Ask(uint64_t version, std::vector<Tensor> values, std::vector<Tensor> sources,
                     Done done) {
  std::lock_guard lock(mutex_);
  questions_.push_back({version, std::move(values), std::move(sources), std::move(done)});
  if (!thread_.joinable()) thread_ = std::thread([this] { Work(); });
  changed_.notify_all();
}

void HashWorker::Work() {
  LowerPriority();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !questions_.empty(); });
    if (stopping_) return;
    Question question = std::move(questions_.front());
    questions_.pop_front();
    lock.unlock();
    question.done(Answer(question));
    question = Question();
    lock.lock();
  }
}

VersionHashes HashWorker::Answer(Question& question) {
  if (const VersionHashes known = Known(question.version); !known.content.empty()) return known;
  const VersionHashes hashes{SourceHash(signature_, question.values, question.sources),
                             ContentHash(signature_, question.values)};
  question.values.clear();
  question.sources.clear();
  std::lock_guard lock(mutex_);
  known_[question.version] = hashes;
  return hashes;
}

}  // namespace ramet
