#include "ramet/replica/files/folder_state.h"

#include <utility>

namespace ramet::files {

std::shared_ptr<const FolderState::Newest> FolderState::newest() const {
  MutexLock lock(mutex_);
  return newest_;
}

std::shared_ptr<const FolderState::Labels> FolderState::labels() const {
  MutexLock lock(mutex_);
  return labels_;
}

uint64_t FolderState::NewestVersion(std::string_view label) const {
  MutexLock lock(mutex_);
  if (superseded_) return 0;
  if (label.empty()) return newest_->found.version;
  const auto found = labels_->find(std::string(label));
  return found == labels_->end() ? 0 : found->second.version;
}

void FolderState::SetNewest(Newest newest) {
  auto made = std::make_shared<const Newest>(std::move(newest));
  MutexLock lock(mutex_);
  newest_ = std::move(made);
  Changed();
}

void FolderState::SetIndex(const IndexFingerprint& index) {
  MutexLock lock(mutex_);
  auto made = std::make_shared<Newest>(*newest_);
  made->found.index = index;
  newest_ = std::move(made);
}

void FolderState::SetLabels(Labels labels) {
  auto made = std::make_shared<const Labels>(std::move(labels));
  MutexLock lock(mutex_);
  labels_ = std::move(made);
  Changed();
}

void FolderState::Supersede() {
  MutexLock lock(mutex_);
  superseded_ = true;
  Changed();
}

bool FolderState::superseded() const {
  MutexLock lock(mutex_);
  return superseded_;
}

void FolderState::Wait(uint64_t* seen, Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (changes_ == *seen && !interrupted_ && !superseded_) {
    if (deadline == Clock::time_point::max()) {
      changed_.Wait(mutex_);
    } else if (!changed_.WaitUntil(mutex_, deadline)) {
      break;
    }
  }
  *seen = changes_;
}

void FolderState::Interrupt() {
  MutexLock lock(mutex_);
  interrupted_ = true;
  Changed();
}

bool FolderState::interrupted() const {
  MutexLock lock(mutex_);
  return interrupted_;
}

void FolderState::Changed() {
  ++changes_;
  changed_.NotifyAll();
}

}  // namespace ramet::files
