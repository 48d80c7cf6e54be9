#pragma once

#include <memory>
#include <span>

#include "ramet/replica/background_job.h"
#include "ramet/replica/published_model.h"

namespace ramet {

// Brings the buffers that updates of rows will write to up to date, on a thread of its own, once a
// version has been published (VariableState::PrepareSpare). The thread begins with the first such
// variable. One thread at a time.
class SpareKeeper {
 public:
  // Both outlive it.
  SpareKeeper(std::span<const PublishedVariable> variables, PublisherTransport& transport)
      : variables_(variables), transport_(transport) {}
  // A version has been published.
  void Wake();

 private:
  void Prepare();

  const std::span<const PublishedVariable> variables_;
  PublisherTransport& transport_;
  int in_vain_ = 0;
  // No less urgent than the trainer, who waits for the rows at which it stops half-way.
  std::unique_ptr<BackgroundJob> job_;
};

}  // namespace ramet
