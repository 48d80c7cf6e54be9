#include "threads/helper_threads.h"

#include <algorithm>
#include <utility>

namespace server {
namespace {

constexpr auto kWatchTime = std::chrono::milliseconds(5);
constexpr auto kIdleWatchTime = std::chrono::milliseconds(50);
constexpr auto kHelpTime = std::chrono::seconds(1);

}  // namespace

HelperThreads::HelperThreads(std::vector<HelpedQueue> queues, int count) {
  if (count <= 0) return;
  for (HelpedQueue& queue : queues) places_.emplace_back(std::move(queue));
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Help(); });
  threads_.emplace_back([this] { Watch(); });
}

void HelperThreads::Stop() {
  {
    ramet::MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool HelperThreads::IsStuck(Place& place) const {
  const uint64_t now = place.queue.handlers->finished();
  const uint64_t before = std::exchange(place.finished, now);
  return before == now && place.queue.handlers->running() >= place.threads;
}

bool HelperThreads::AnyRuns() const {
  return std::ranges::any_of(
      places_, [](const Place& place) { return place.queue.handlers->running() > 0; });
}

void HelperThreads::Watch() {
  ramet::MutexLock lock(mutex_);
  while (!stop_) {
    changed_.WaitFor(mutex_, AnyRuns() ? kWatchTime : kIdleWatchTime);
    for (Place& place : places_) {
      const bool is_stuck = IsStuck(place);
      // A helper that is called counts at once, so that one long request calls one helper.
      if (!is_stuck || static_cast<size_t>(idle_) <= wanted_.size()) continue;
      ++place.threads;
      wanted_.push_back(&place);
      changed_.NotifyAll();
    }
  }
}

void HelperThreads::Help() {
  ramet::MutexLock lock(mutex_);
  while (true) {
    ++idle_;
    while (wanted_.empty() && !stop_) changed_.Wait(mutex_);
    --idle_;
    if (stop_) return;
    Place& place = *wanted_.front();
    wanted_.pop_front();
    mutex_.Unlock();
    place.queue.serve(kHelpTime);
    --place.threads;
    mutex_.Lock();
  }
}

}  // namespace server
