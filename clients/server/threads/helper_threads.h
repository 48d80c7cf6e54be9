#pragma once

#include <ramet/ramet.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace server {

// Counts the handlers of requests that the threads of a queue run.
class HandlerCounts {
 public:
  // Counts one handler during its lifetime.
  class Running {
   public:
    explicit Running(HandlerCounts& counts) : counts_(counts) {
      counts_.running_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Running() {
      counts_.running_.fetch_sub(1, std::memory_order_relaxed);
      counts_.finished_.fetch_add(1, std::memory_order_relaxed);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    HandlerCounts& counts_;
  };

  int running() const { return running_.load(std::memory_order_relaxed); }
  uint64_t finished() const { return finished_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> running_ = 0;
  std::atomic<uint64_t> finished_ = 0;
};

// A queue of requests with threads of its own, which run the handlers.
struct HelpedQueue {
  const HandlerCounts* handlers = nullptr;
  int threads = 1;
  // Serves requests for a time. Returns early if the queue ends.
  std::function<void(std::chrono::milliseconds)> serve = {};
};

// HelperThreads serve the queues whose own threads are all busy with long requests. A thread more
// than needed would take part in every request, which costs a wake-up each.
class HelperThreads {
 public:
  // Starts at most `count` threads that help. 0 or less: none.
  HelperThreads(std::vector<HelpedQueue> queues, int count);
  ~HelperThreads() { Stop(); }
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;
  // Ends the threads. The queues must have been ended.
  void Stop() RAMET_EXCLUDES(mutex_);

 private:
  struct Place {
    explicit Place(HelpedQueue helped) : queue(std::move(helped)), threads(queue.threads) {}
    const HelpedQueue queue;
    std::atomic<int> threads;  // its own and those that help
    uint64_t finished = 0;     // handlers, at the last look
  };

  // Calls a helper for each queue in which no request has finished for some time though all of its
  // threads run one.
  void Watch() RAMET_EXCLUDES(mutex_);
  bool IsStuck(Place& place) const;
  bool AnyRuns() const;
  void Help() RAMET_EXCLUDES(mutex_);

  std::deque<Place> places_;
  ramet::Mutex mutex_;
  ramet::CondVar changed_;
  std::deque<Place*> wanted_ RAMET_GUARDED_BY(mutex_);  // places that need a helper
  int idle_ RAMET_GUARDED_BY(mutex_) = 0;               // helpers without a place
  bool stop_ RAMET_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace server
