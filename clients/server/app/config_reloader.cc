#include "app/config_reloader.h"

namespace server {

ConfigReloader::ConfigReloader(ConfigSource* source, std::chrono::seconds interval)
    : source_(source), interval_(interval), thread_([this] { Work(); }) {}

ConfigReloader::~ConfigReloader() {
  {
    ramet::MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void ConfigReloader::Reload() {
  {
    ramet::MutexLock lock(mutex_);
    wanted_ = true;
  }
  changed_.NotifyAll();
}

void ConfigReloader::Work() {
  while (true) {
    {
      ramet::MutexLock lock(mutex_);
      const auto next = std::chrono::steady_clock::now() + interval_;
      while (!wanted_ && !stop_) {
        if (interval_.count() == 0) {
          changed_.Wait(mutex_);
        } else if (!changed_.WaitUntil(mutex_, next)) {
          wanted_ = true;
        }
      }
      if (stop_) return;
      wanted_ = false;
    }
    const ramet::Status status = source_->Load();
    if (!status.ok()) {
      ramet::LogError("the new configuration is refused, the old one stays: ", status.ToString());
    }
  }
}

}  // namespace server
