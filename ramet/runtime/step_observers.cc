#include "ramet/runtime/step_observers.h"

#include <utility>
#include <vector>

namespace ramet {

int StepObservers::Add(Observer observer) {
  const auto entry = std::make_shared<Entry>(std::move(observer));
  MutexLock lock(mutex_);
  entries_[next_id_] = entry;
  ++count_;
  return next_id_++;
}

void StepObservers::Remove(int id) {
  std::shared_ptr<Entry> removed;
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    removed = std::move(found->second);
    entries_.erase(found);
    --count_;
  }
  WriterLock lock(removed->calls);
  removed->observer = nullptr;
}

Status StepObservers::Notify() {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, entry] : entries_) entries.push_back(entry);
  }
  for (const auto& entry : entries) {
    ReaderLock lock(entry->calls);
    if (entry->observer) RAMET_RETURN_IF_ERROR(entry->observer());
  }
  return OkStatus();
}

}  // namespace ramet
