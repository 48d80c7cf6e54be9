#include "ramet/ops/logging/summary_writer.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdio>

#include "ramet/base/folder.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/format/tf_record.h"
#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

// The fields of TensorFlow's Event.
constexpr uint32_t kWallTime = 1, kFileVersion = 3;
constexpr std::string_view kVersion = "brain.Event:2";
constexpr int64_t kNanosPerMilli = 1000000;

std::string TimedEvent(std::string_view fields) {
  std::string event;
  AppendNonZero(&event, kWallTime, static_cast<double>(WallClockNanos() / 1000) / 1e6);
  return event.append(fields);
}

// Returns a path that no other writer has: TensorFlow's names contain the process and a number.
std::string NewPath(const std::string& folder, const std::string& suffix) {
  static std::atomic<int64_t> files = 0;
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::array<char, 32> seconds = {};
  std::snprintf(seconds.data(), seconds.size(), "%010lld",
                static_cast<long long>(WallClockNanos() / (1000 * kNanosPerMilli)));
  return StrCat(folder, "/events.out.tfevents.", seconds.data(), ".", host.data(), ".", getpid(),
                ".", files++, suffix.starts_with('.') ? "" : ".", suffix);
}

}  // namespace

SummaryWriter::~SummaryWriter() { Close().IgnoreError(); }

Status SummaryWriter::Open(const Options& options) {
  MutexLock lock(mutex_);
  if (file_ != nullptr) return OkStatus();
  RAMET_RETURN_IF_ERROR(CreateDirs(options.folder));
  RAMET_ASSIGN_OR_RETURN(WritableFile file,
                         WritableFile::Create(NewPath(options.folder, options.suffix)));
  options_ = options;
  file_ = std::make_unique<WritableFile>(std::move(file));
  std::string version;
  AppendBytesField(&version, kFileVersion, kVersion);
  AppendTFRecord(TimedEvent(version), &queued_);
  return WriteQueued();
}

Status SummaryWriter::Add(std::string_view event) {
  MutexLock lock(mutex_);
  return Queue(TimedEvent(event));
}

Status SummaryWriter::Import(std::string_view event) {
  MutexLock lock(mutex_);
  return Queue(std::string(event));
}

Status SummaryWriter::Queue(std::string event) {
  if (file_ == nullptr) {
    return FailedPrecondition(
        "the summary writer has no file; run the operation that initializes it first");
  }
  AppendTFRecord(event, &queued_);
  ++num_queued_;
  const int64_t waited = (WallClockNanos() - last_flush_nanos_) / kNanosPerMilli;
  if (num_queued_ > options_.max_queue || waited > options_.flush_millis ||
      queued_.size() > kMaxQueuedBytes) {
    return WriteQueued();
  }
  return OkStatus();
}

Status SummaryWriter::WriteQueued() {
  RAMET_RETURN_IF_ERROR(file_->Append(queued_));
  queued_.clear();
  num_queued_ = 0;
  last_flush_nanos_ = WallClockNanos();
  return file_->Flush();
}

Status SummaryWriter::Flush() {
  MutexLock lock(mutex_);
  return file_ == nullptr ? OkStatus() : WriteQueued();
}

Status SummaryWriter::Close() {
  MutexLock lock(mutex_);
  if (file_ == nullptr) return OkStatus();
  RAMET_RETURN_IF_ERROR(WriteQueued());
  RAMET_RETURN_IF_ERROR(file_->Close());
  file_.reset();
  return OkStatus();
}

}  // namespace ramet
