#include "model/reaper.h"

#include <utility>

#include "model/low_priority.h"

namespace server {

Reaper::Reaper() : thread_([this] { Work(); }) {}

Reaper::~Reaper() {
  {
    ramet::MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void Reaper::Post(std::function<void()> job) {
  {
    ramet::MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.NotifyAll();
}

void Reaper::Work() {
  LowerPriority();
  while (true) {
    std::function<void()> job;
    {
      ramet::MutexLock lock(mutex_);
      while (jobs_.empty() && !stop_) changed_.Wait(mutex_);
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace server
