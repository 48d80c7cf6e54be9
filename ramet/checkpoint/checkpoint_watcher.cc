#include "ramet/checkpoint/checkpoint_watcher.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "ramet/base/file.h"

namespace ramet {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLookInterval(200);

int64_t StepOf(std::string_view prefix) {
  size_t dash = prefix.rfind('-');
  int64_t step;
  if (dash == std::string_view::npos || !ParseInt64(prefix.substr(dash + 1), &step)) return -1;
  return step;
}

}  // namespace

class CheckpointWatcher::Impl {
 public:
  Impl(std::string dir, std::string filename)
      : dir_(dir.empty() ? "." : std::move(dir)),
        filename_(std::move(filename)),
        notices_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

  ~Impl() {
    if (notices_ >= 0) close(notices_);
  }

  StatusOr<FoundCheckpoint> Poll() {
    RAMET_ASSIGN_OR_RETURN(std::string prefix, LatestCheckpoint(dir_, filename_));
    RAMET_ASSIGN_OR_RETURN(FileIdentity identity, GetFileIdentity(StrCat(prefix, ".index")));
    if (prefix == last_prefix_ && identity == last_identity_) {
      return NotFound("there is no checkpoint newer than ", prefix);
    }
    last_prefix_ = prefix;
    last_identity_ = identity;
    FoundCheckpoint found{prefix, StrCat(prefix, ".meta"), StepOf(prefix)};
    if (!FileExists(found.meta_path)) found.meta_path.clear();
    return found;
  }

  StatusOr<FoundCheckpoint> Wait(std::chrono::milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    for (;;) {
      Watch();
      StatusOr<FoundCheckpoint> found = Poll();
      if (found.ok() || !IsNotFound(found.status())) return found;
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0) {
        return DeadlineExceeded("no new checkpoint in folder '", dir_, "' within ", timeout.count(),
                                " ms: ", found.status().message());
      }
      Sleep(std::min(left, kLookInterval));
    }
  }

 private:
  // A checkpoint is committed by renaming files into the folder.
  void Watch() {
    if (notices_ < 0 || watching_) return;
    watching_ = inotify_add_watch(notices_, dir_.c_str(), IN_MOVED_TO | IN_CLOSE_WRITE) >= 0;
  }

  void Sleep(std::chrono::milliseconds time) {
    if (!watching_) {
      std::this_thread::sleep_for(time);
      return;
    }
    pollfd ready{notices_, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(time.count())) <= 0) return;
    char events[4096];
    while (read(notices_, events, sizeof(events)) > 0) continue;
  }

  std::string dir_;
  std::string filename_;
  int notices_;
  bool watching_ = false;
  std::string last_prefix_;
  std::optional<FileIdentity> last_identity_;
};

CheckpointWatcher::CheckpointWatcher(std::string dir, std::string latest_filename)
    : impl_(std::make_unique<Impl>(std::move(dir), std::move(latest_filename))) {}
CheckpointWatcher::CheckpointWatcher(CheckpointWatcher&&) noexcept = default;
CheckpointWatcher::~CheckpointWatcher() = default;
StatusOr<FoundCheckpoint> CheckpointWatcher::Poll() { return impl_->Poll(); }
StatusOr<FoundCheckpoint> CheckpointWatcher::Wait(std::chrono::milliseconds timeout) {
  return impl_->Wait(timeout);
}
CheckpointsIterator::CheckpointsIterator(std::string dir, CheckpointsIteratorOptions options)
    : watcher_(std::move(dir)), options_(std::move(options)) {}

std::optional<std::string> CheckpointsIterator::Next() {
  while (!ended_) {
    if (!last_.empty()) {
      std::this_thread::sleep_until(given_at_ + options_.min_interval);
      if (options_.timeout_fn && options_.timeout_fn()) break;
    }
    std::string prefix;
    if (Wait(&prefix)) {
      last_ = prefix;
      given_at_ = Clock::now();
      return prefix;
    }
    if (!options_.timeout_fn || options_.timeout_fn()) break;
  }
  ended_ = true;
  return std::nullopt;
}

// Returns true if a different checkpoint came within the timeout.
bool CheckpointsIterator::Wait(std::string* prefix) {
  constexpr std::chrono::hours kForEver(24);
  const auto begin = Clock::now();
  for (;;) {
    std::chrono::milliseconds left = kForEver;
    if (options_.timeout) {
      left = *options_.timeout -
             std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    }
    StatusOr<FoundCheckpoint> found = watcher_.Wait(std::max(left, std::chrono::milliseconds(0)));
    if (found.ok() && found->prefix != last_) {
      *prefix = found->prefix;
      return true;
    }
    if (!found.ok() && !IsDeadlineExceeded(found.status())) {
      std::this_thread::sleep_for(
          std::min(std::max(left, std::chrono::milliseconds(0)), kLookInterval));
    }
    if (options_.timeout && Clock::now() - begin >= *options_.timeout) return false;
  }
}

}  // namespace ramet
