#include "ramet/replica/verifier.h"

#include <ctime>

#include "ramet/base/exception.h"
#include "ramet/base/strings.h"
#include "ramet/replica/low_priority.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/version_hash.h"

namespace ramet {
namespace {

constexpr auto kTimeout = std::chrono::seconds(60);
constexpr int kShare = 100;  // verification takes 1/kShare of the time

// Returns the processor time of this thread. Waiting for a processor does not count.
std::chrono::nanoseconds ProcessorTime() {
  timespec time{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

StatusOr<VersionHashes> VerifyValues(const HeldValues& values,
                                     FollowerTransport::Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(VersionHashes hashes,
                         values.transport->Hashes(values.id.version, deadline));
  const ReplicaSignature& signature = values.transport->announcement().signature;
  const std::string content = ContentHash(signature, values.held->values);
  if (content == hashes.content) return hashes;
  return DataLoss("version ", values.id.version, " differs from what was published: its hash is ",
                  content, " here and ", hashes.content, " at the publisher");
}

Verifier::~Verifier() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void Verifier::Offer(const std::shared_ptr<HeldValues>& values,
                     std::shared_ptr<HeldValues> before) {
  std::shared_ptr<HeldValues> dropped;
  MutexLock lock(mutex_);
  dropped = std::move(before_);
  offered_ = values;
  if (Clock::now() >= due_) before_ = std::move(before);
  if (!has_offer_) changed_.NotifyAll();
  has_offer_ = true;
  // Without a thread nothing is verified; the next version tries to start it again.
  if (!thread_.joinable()) StartThread(&thread_, [this] { Work(); }).IgnoreError();
}

std::optional<Verifier::Offered> Verifier::TakeOffer() {
  MutexLock lock(mutex_);
  while (true) {
    while (!stopping_ && !has_offer_) changed_.Wait(mutex_);
    while (!stopping_ && changed_.WaitUntil(mutex_, due_)) continue;
    if (stopping_) return std::nullopt;
    has_offer_ = false;
    Offered offered{offered_.lock(), std::move(before_)};
    if (!offered.values) continue;
    due_ = Clock::time_point::max();
    return offered;
  }
}

void Verifier::Work() {
  LowerPriority();
  while (const std::optional<Offered> offered = TakeOffer()) {
    const auto before_work = ProcessorTime();
    Guarded([&] {
      done_(offered->values, offered->before,
            VerifyValues(*offered->values, FollowerTransport::Clock::now() + kTimeout));
      return OkStatus();
    }).IgnoreError();
    const auto spent = 2 * (ProcessorTime() - before_work);  // the publisher hashes as much
    MutexLock lock(mutex_);
    due_ = Clock::now() + kShare * spent;
  }
}

}  // namespace ramet
