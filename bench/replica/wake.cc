#include "wake.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>

namespace ramet::replica_bench {
namespace {

struct Shared {
  std::atomic<uint32_t> word = 0;
  std::atomic<int64_t> seen = 0;
};

int64_t Nanos() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

long Futex(Shared* shared, int operation, uint32_t value) {
  return syscall(SYS_futex, &shared->word, operation, value, nullptr, nullptr, 0);
}

[[noreturn]] void Sleeper(Shared* shared) {
  for (uint32_t seen = 0;; seen = shared->word) {
    while (shared->word == seen) Futex(shared, FUTEX_WAIT, seen);
    shared->seen = Nanos();
  }
}

}  // namespace

Wakes WakeAnotherProcess(int times) {
  constexpr int64_t kWorkNanos = 500'000;
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  auto* shared = new (memory) Shared;
  const pid_t child = fork();
  if (child == 0) Sleeper(shared);
  if (child < 0) return {};
  Wakes wakes;
  for (int i = 0; i < times; ++i) {
    for (const int64_t end = Nanos() + kWorkNanos; Nanos() < end;) {
    }
    const int64_t begin = Nanos();
    ++shared->word;
    Futex(shared, FUTEX_WAKE, 1);
    wakes.wake.push_back(static_cast<double>(Nanos() - begin) / 1e3);
    while (shared->seen < begin) {
    }
    wakes.usable.push_back(static_cast<double>(shared->seen - begin) / 1e3);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  munmap(memory, sizeof(Shared));
  return wakes;
}

}  // namespace ramet::replica_bench
