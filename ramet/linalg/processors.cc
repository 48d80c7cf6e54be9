#include "ramet/linalg/processors.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

namespace ramet::linalg {
namespace {

constexpr int64_t kLookNanos = 5'000'000;
// The number of involuntary context switches of this process in kLookNanos that indicates
// competition for its processors. An idle system makes less than one in 20 ms.
constexpr int64_t kMinSwitches = 2;

std::atomic<int64_t> last_look = 0;
std::atomic<bool> are_busy = false;

int RoundedUp(int64_t quota, int64_t period) {
  return quota <= 0 || period <= 0
             ? 0
             : static_cast<int>(std::max<int64_t>(1, (quota + period - 1) / period));
}

int QuotaOf(const std::string& folder) {
  std::ifstream both(folder + "/cpu.max");  // version 2: "max 100000" or "200000 100000"
  int64_t quota = 0, period = 0;
  if (both >> quota >> period) return RoundedUp(quota, period);
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return RoundedUp(quota, period);
}

int SmallerQuota(int a, int b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

// Returns the quota of this process. Lines of /proc/self/cgroup are "0::/group" or
// "4:cpu,cpuacct:/group".
int Quota() {
  int quota = 0;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    const char* root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    quota = SmallerQuota(quota, processors_internal::QuotaOfGroup(root, line.substr(second + 1)));
  }
  return quota;
}

bool MoreRunnableThanProcessors() {
  static const int64_t online = sysconf(_SC_NPROCESSORS_ONLN);
  const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[128];
  const ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  if (size <= 0) return false;
  text[size] = '\0';
  return processors_internal::RunnableThreads(text) > online;
}

// Reports whether this process was preempted often. Detects competition also where a mask or quota
// allows fewer processors than the machine has, which /proc/loadavg does not show.
bool SwitchedOften(int64_t nanos) {
  static std::atomic<int64_t> before = 0;
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return false;
  const int64_t switches = usage.ru_nivcsw - before.exchange(usage.ru_nivcsw);
  return switches * kLookNanos >= kMinSwitches * nanos;
}

}  // namespace

int processors_internal::QuotaOfGroup(const std::string& root, std::string group) {
  int quota = QuotaOf(root);
  while (group.size() > 1) {
    quota = SmallerQuota(quota, QuotaOf(root + group));
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
  return quota;
}

int64_t processors_internal::RunnableThreads(const char* text) {
  const char* slash = std::strchr(text, '/');
  if (slash == nullptr) return 0;
  const char* begin = slash;
  while (begin > text && begin[-1] >= '0' && begin[-1] <= '9') --begin;
  return std::strtoll(begin, nullptr, 10);
}

int UsableProcessors() {
  static const int quota = Quota();
  cpu_set_t mask;
  const bool known = sched_getaffinity(0, sizeof(mask), &mask) == 0;  // not with more than 1,024
  const int allowed = known ? std::max(1, CPU_COUNT(&mask))
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return quota == 0 ? allowed : std::min(allowed, quota);
}

void processors_internal::Pretend(std::optional<bool> busy) {
  are_busy = busy.value_or(false);
  last_look = busy.has_value() ? std::numeric_limits<int64_t>::max() : 0;
}

bool ProcessorsAreBusy(int64_t now) {
  int64_t seen = last_look.load(std::memory_order_relaxed);
  if (now - seen < kLookNanos) return are_busy.load(std::memory_order_relaxed);
  if (last_look.compare_exchange_strong(seen, now, std::memory_order_acq_rel)) {
    const bool switched = SwitchedOften(now - seen);
    are_busy.store(MoreRunnableThanProcessors() || switched, std::memory_order_relaxed);
  }
  return are_busy.load(std::memory_order_relaxed);
}

}  // namespace ramet::linalg
