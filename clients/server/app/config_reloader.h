#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <thread>

#include "app/config_source.h"

namespace server {

// A ConfigReloader loads the configuration again when it is told to, and at an interval. Loading
// takes as long as the new models, so it has a thread of its own.
class ConfigReloader {
 public:
  // `interval` of 0: only when told to. `source` must outlive this object.
  ConfigReloader(ConfigSource* source, std::chrono::seconds interval);
  // Waits for a load that is in progress.
  ~ConfigReloader();
  ConfigReloader(const ConfigReloader&) = delete;
  ConfigReloader& operator=(const ConfigReloader&) = delete;

  void Reload();

 private:
  void Work();

  ConfigSource* const source_;
  const std::chrono::seconds interval_;
  ramet::Mutex mutex_;
  ramet::CondVar changed_;
  bool wanted_ RAMET_GUARDED_BY(mutex_) = false;
  bool stop_ RAMET_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace server
