#pragma once

#include <ramet/ramet.h>

#include <deque>
#include <functional>
#include <memory>
#include <thread>

namespace server {

// A Reaper frees models in a thread of low priority, so that no request waits for it. Thread-safe.
class Reaper {
 public:
  Reaper();
  // Runs the jobs that remain.
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Runs `job` later. It may post further jobs, but must not destroy the Reaper.
  void Post(std::function<void()> job);

 private:
  void Work();

  ramet::Mutex mutex_;
  ramet::CondVar changed_;
  std::deque<std::function<void()>> jobs_ RAMET_GUARDED_BY(mutex_);
  bool stop_ RAMET_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace server
