#pragma once

#include <ramet/ramet.h>

#include "threads/processors.h"

namespace server {

// LoadSlots bound the number of models that are loaded at the same time. Thread-safe.
class LoadSlots {
 public:
  // 0: one per processor.
  explicit LoadSlots(int count) : free_(count > 0 ? count : Processors()) {}

  // Holds a slot while it exists.
  class Slot {
   public:
    explicit Slot(LoadSlots& slots) : slots_(slots) {
      ramet::MutexLock lock(slots_.mutex_);
      while (slots_.free_ == 0) slots_.changed_.Wait(slots_.mutex_);
      --slots_.free_;
    }
    ~Slot() {
      ramet::MutexLock lock(slots_.mutex_);
      ++slots_.free_;
      slots_.changed_.NotifyOne();
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    LoadSlots& slots_;
  };

 private:
  ramet::Mutex mutex_;
  ramet::CondVar changed_;
  int free_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace server
