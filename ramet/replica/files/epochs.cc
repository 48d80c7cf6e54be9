#include "ramet/replica/files/epochs.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "ramet/base/mutex.h"
#include "ramet/base/wall_clock.h"

namespace ramet::files {
namespace {

constexpr uint64_t kPerMicrosecond = 16;

struct Begun {
  Mutex mutex;
  std::map<std::string, uint64_t> epochs RAMET_GUARDED_BY(mutex);
};

Begun& BegunHere() {
  static auto* begun = new Begun();
  return *begun;
}

uint64_t MadeAt(const std::string& dir) {
  struct statx s;
  if (::statx(AT_FDCWD, dir.c_str(), 0, STATX_BTIME, &s) != 0) return 1;
  if ((s.stx_mask & STATX_BTIME) == 0 || s.stx_btime.tv_sec <= 0) return 1;
  const uint64_t microseconds =
      static_cast<uint64_t>(s.stx_btime.tv_sec) * 1'000'000 + s.stx_btime.tv_nsec / 1000;
  return microseconds * kPerMicrosecond;
}

}  // namespace

uint64_t EpochOf(const std::string& dir) {
  Begun& begun = BegunHere();
  MutexLock lock(begun.mutex);
  const auto known = begun.epochs.find(dir);
  return std::max(MadeAt(dir), known == begun.epochs.end() ? 0 : known->second);
}

void BeginEpoch(const std::string& dir) {
  const uint64_t before = EpochOf(dir);
  const uint64_t now = static_cast<uint64_t>(WallClockNanos()) / 1000;
  Begun& begun = BegunHere();
  MutexLock lock(begun.mutex);
  begun.epochs[dir] = std::max(before + 1, now * kPerMicrosecond);
}

}  // namespace ramet::files
