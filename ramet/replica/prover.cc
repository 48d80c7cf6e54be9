#include "ramet/replica/prover.h"

#include <ctime>

#include "ramet/base/exception.h"
#include "ramet/base/strings.h"
#include "ramet/replica/low_priority.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_hash.h"

namespace ramet {
namespace {

constexpr auto kTimeout = std::chrono::seconds(60);
constexpr int kShare = 100;  // a proof takes so small a part of the time

// Of this thread alone: waiting for a processor costs nobody anything.
std::chrono::nanoseconds ProcessorTime() {
  timespec time{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

StatusOr<VersionHashes> Prove(const HeldValues& values,
                              FollowerTransport::Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(VersionHashes hashes,
                         values.transport->Hashes(values.id.version, deadline));
  const ReplicaSignature& signature = values.transport->announcement().signature;
  const std::string content = ContentHash(signature, values.held->values);
  if (content == hashes.content) return hashes;
  return DataLoss("version ", values.id.version, " is not what was published: its hash is ",
                  content, " here and ", hashes.content, " there");
}

Prover::~Prover() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Prover::Offer(const std::shared_ptr<HeldValues>& values, std::shared_ptr<HeldValues> before) {
  std::shared_ptr<HeldValues> dropped;
  std::lock_guard lock(mutex_);
  dropped = std::move(before_);
  offered_ = values;
  if (Clock::now() >= due_) before_ = std::move(before);
  if (!has_offer_) changed_.notify_all();
  has_offer_ = true;
  // Without a thread nothing is proven beside the runs; the next version is another try.
  if (!thread_.joinable()) StartThread(&thread_, [this] { Work(); }).IgnoreError();
}

void Prover::Work() {
  LowerPriority();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || has_offer_; });
    changed_.wait_until(lock, due_, [this] { return stopping_; });
    if (stopping_) return;
    has_offer_ = false;
    const std::shared_ptr<HeldValues> values = offered_.lock();
    const std::shared_ptr<HeldValues> before = std::move(before_);
    if (!values) continue;
    due_ = Clock::time_point::max();
    lock.unlock();
    const auto before_proof = ProcessorTime();
    Guarded([&] {
      judge_(values, before, Prove(*values, FollowerTransport::Clock::now() + kTimeout));
      return OkStatus();
    }).IgnoreError();
    const auto spent = 2 * (ProcessorTime() - before_proof);  // the publisher hashes as much
    lock.lock();
    due_ = Clock::now() + kShare * spent;
  }
}

}  // namespace ramet
