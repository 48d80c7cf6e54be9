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
  // Returns a shared pointer whose last owner leaves it to the reaper to free the object.
  template <class T>
  std::shared_ptr<T> Own(std::unique_ptr<T> object) {
    return std::shared_ptr<T>(object.release(),
                              [this](T* unused) { Post([unused] { delete unused; }); });
  }

 private:
  void Work();

  ramet::Mutex mutex_;
  ramet::CondVar changed_;
  std::deque<std::function<void()>> jobs_ RAMET_GUARDED_BY(mutex_);
  bool stop_ RAMET_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace server
