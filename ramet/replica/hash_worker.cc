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
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
  {
    MutexLock lock(mutex_);
    left.swap(questions_);
  }
  for (const Question& question : left) {
    for (const Done& done : question.asking) done(Unavailable("the publisher has ended"));
  }
}

bool HashWorker::idle() const {
  MutexLock lock(mutex_);
  return questions_.empty();
}

VersionHashes HashWorker::Known(uint64_t version) const {
  MutexLock lock(mutex_);
  const auto found = known_.find(version);
  return found == known_.end() ? VersionHashes() : found->second;
}

void HashWorker::Alias(uint64_t version, uint64_t of) {
  MutexLock lock(mutex_);
  if (const auto found = known_.find(of); found != known_.end()) known_[version] = found->second;
}

void HashWorker::Forget(uint64_t version) {
  MutexLock lock(mutex_);
  known_.erase(version);
}

Status HashWorker::Ask(uint64_t version, const std::function<Values()>& values, Done done) {
  MutexLock lock(mutex_);
  if (num_asking_ >= kMaxAsking) {
    return ResourceExhausted(num_asking_, " requests for hashes are waiting already");
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
  changed_.NotifyAll();
  return OkStatus();
}

HashWorker::Question* HashWorker::NextQuestion() {
  MutexLock lock(mutex_);
  while (!stopping_ && questions_.empty()) changed_.Wait(mutex_);
  return stopping_ ? nullptr : &questions_.front();
}

std::vector<HashWorker::Done> HashWorker::TakeCallbacks() {
  MutexLock lock(mutex_);
  std::vector<Done> asking = std::move(questions_.front().asking);
  questions_.pop_front();
  num_asking_ -= asking.size();
  return asking;
}

void HashWorker::Work() {
  LowerPriority();
  while (Question* question = NextQuestion()) {
    StatusOr<VersionHashes> hashes = VersionHashes();
    const Status hashed = Guarded([&] {
      hashes = HashesOf(question->version, question->values);
      return OkStatus();
    });
    if (!hashed.ok()) hashes = hashed;
    question->values = {};
    for (const Done& done : TakeCallbacks()) {
      Guarded([&] {
        done(hashes);
        return OkStatus();
      }).IgnoreError();
    }
  }
}

VersionHashes HashWorker::HashesOf(uint64_t version, const Values& values) {
  if (const VersionHashes known = Known(version); !known.content.empty()) return known;
  const VersionHashes hashes{SourceHash(signature_, values.values, values.sources),
                             ContentHash(signature_, values.values)};
  MutexLock lock(mutex_);
  known_[version] = hashes;
  return hashes;
}

}  // namespace ramet
