#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/mutex.h"
#include "ramet/op/resource_store.h"

namespace ramet {

// A SummaryWriter is a resource of a session that writes events to one event file at a time.
// Thread-safe.
class SummaryWriter final : public Resource {
 public:
  // The maximum number of bytes of events that wait to be written.
  static constexpr size_t kMaxQueuedBytes = size_t{64} << 20;

  // How and when events are written.
  struct Options {
    std::string folder, suffix;
    int64_t max_queue = 10;  // events
    int64_t flush_millis = 120000;
  };

  ~SummaryWriter() override;
  std::string_view type_name() const override { return "summary writer"; }

  // Creates the event file, unless the writer has one already.
  // \error any error of creating the folder or the file.
  Status Open(const Options& options);
  // Adds an Event, given by its fields except for the time. Writes all events if there are too
  // many, or the oldest is too old.
  // \error kFailedPrecondition: the writer has no file. \error any error of writing.
  Status Add(std::string_view event);
  // Adds a serialized Event as it is.
  Status Import(std::string_view event);
  Status Flush();
  // Writes all events and closes the file.
  Status Close();

 private:
  Status Queue(std::string event) RAMET_REQUIRES(mutex_);
  Status WriteQueued() RAMET_REQUIRES(mutex_);

  Mutex mutex_;
  Options options_ RAMET_GUARDED_BY(mutex_);
  std::unique_ptr<WritableFile> file_ RAMET_GUARDED_BY(mutex_);
  std::string queued_ RAMET_GUARDED_BY(mutex_);
  int64_t num_queued_ RAMET_GUARDED_BY(mutex_) = 0;
  int64_t last_flush_nanos_ RAMET_GUARDED_BY(mutex_) = 0;
};

}  // namespace ramet
