#pragma once

#include <memory>
#include <span>

#include "ramet/replica/background_job.h"
#include "ramet/replica/published_model.h"

namespace ramet {

// A SpareKeeper updates spare buffers on its own thread after a version has been published, so that
// the next update of rows finds a buffer that is up to date (VariableState::PrepareSpare). The
// first variable that needs it starts the thread. Not thread-safe.
class SpareKeeper {
 public:
  // Both arguments must outlive the SpareKeeper.
  SpareKeeper(std::span<const PublishedVariable> variables, PublisherTransport& transport)
      : variables_(variables), transport_(transport) {}
  // Call this after a version has been published.
  void Wake();

 private:
  void Prepare();

  const std::span<const PublishedVariable> variables_;
  PublisherTransport& transport_;
  int missed_ = 0;
  // Runs at the trainer's priority, because the trainer waits for the rows in progress.
  std::unique_ptr<BackgroundJob> job_;
};

}  // namespace ramet
