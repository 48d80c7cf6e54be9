#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/mutex.h"
#include "ramet/replica/files/checkpoint_folder.h"

namespace ramet::files {

// A FolderState holds what a follower has seen in its folder: the newest version and the labels.
// Threads can wait for changes. Thread-safe.
class FolderState {
 public:
  using Clock = std::chrono::steady_clock;
  using Labels = std::map<std::string, FoundVersion>;
  // The newest version, and why it cannot be read if it is damaged. Immutable.
  struct Newest {
    FoundVersion found;
    Status damage;
  };

  std::shared_ptr<const Newest> newest() const;
  std::shared_ptr<const Labels> labels() const;
  // Returns the newest version, or the one that `label` names. Returns 0 if there is none, or if
  // the state is superseded, because there is nothing newer to take.
  uint64_t NewestVersion(std::string_view label) const;

  void SetNewest(Newest newest);
  // Records that the newest checkpoint has a new index with the same bytes. Does not wake waits.
  void SetIndex(const IndexFingerprint& index);
  void SetLabels(Labels labels);
  // Marks the state as superseded: there will be no more versions.
  void Supersede();
  bool superseded() const;

  // Waits until the state differs from `*seen`, and updates that. Returns early after Supersede and
  // Interrupt.
  void Wait(uint64_t* seen, Clock::time_point deadline);
  // Ends current and future waits.
  void Interrupt();
  bool interrupted() const;

 private:
  void Changed() RAMET_REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<const Newest> newest_ RAMET_GUARDED_BY(mutex_) = std::make_shared<Newest>();
  std::shared_ptr<const Labels> labels_ RAMET_GUARDED_BY(mutex_) = std::make_shared<Labels>();
  uint64_t changes_ RAMET_GUARDED_BY(mutex_) = 1;
  bool superseded_ RAMET_GUARDED_BY(mutex_) = false;
  bool interrupted_ RAMET_GUARDED_BY(mutex_) = false;
};

}  // namespace ramet::files
