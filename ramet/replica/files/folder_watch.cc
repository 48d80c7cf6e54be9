#include "ramet/replica/files/folder_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace ramet::files {
namespace {

// A checkpoint is complete after renames into the folder or after files are closed.
constexpr uint32_t kEvents =
    IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

FolderWatch::FolderWatch(std::string dir)
    : dir_(std::move(dir)),
      notices_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  Watch();
}

// Adds the watches. Has no effect on those that exist, but finds folders created in the meantime.
void FolderWatch::Watch() {
  if (notices_.get() < 0) return;
  (void)inotify_add_watch(notices_.get(), dir_.c_str(), kEvents);
  (void)inotify_add_watch(notices_.get(), JoinPath(dir_, "labels").c_str(), kEvents);
}

bool FolderWatch::Sleep(std::chrono::milliseconds time) {
  Watch();
  pollfd waits[] = {{stop_.get(), POLLIN, 0}, {notices_.get(), POLLIN, 0}};
  (void)poll(waits, notices_.get() < 0 ? 1 : 2, static_cast<int>(time.count()));
  if (waits[0].revents != 0) return false;
  char events[4096];
  while (notices_.get() >= 0 && read(notices_.get(), events, sizeof(events)) > 0) continue;
  return true;
}

void FolderWatch::Stop() {
  const uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof(one));
}

}  // namespace ramet::files
