#include "ramet/base/side_thread.h"

#include <system_error>
#include <utility>

#include "ramet/base/exception.h"

namespace ramet {

SideThread::~SideThread() {
  Finish();
  {
    MutexLock lock(mutex_);
    ending_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void SideThread::Start(std::function<void()> work) {
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { Loop(); });
    } catch (const std::system_error&) {
      return;
    }
  }
  {
    MutexLock lock(mutex_);
    work_ = std::move(work);
  }
  changed_.NotifyAll();
}

void SideThread::Finish() {
  MutexLock lock(mutex_);
  work_ = nullptr;
  while (busy_) changed_.Wait(mutex_);
}

void SideThread::Loop() {
  MutexLock lock(mutex_);
  while (true) {
    while (!work_ && !ending_) changed_.Wait(mutex_);
    if (ending_) return;
    std::function<void()> work = std::exchange(work_, nullptr);
    busy_ = true;
    mutex_.Unlock();
    LogIfThrown("a side thread", work);
    mutex_.Lock();
    busy_ = false;
    changed_.NotifyAll();
  }
}

}  // namespace ramet
