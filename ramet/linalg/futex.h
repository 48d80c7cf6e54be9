#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace ramet::linalg {

// Sleeps until woken. Returns at once if `word` is not `value`; spurious wakeups are possible.
inline void FutexWait(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

// Wakes up to `threads` threads. `word` may be destroyed already, because all waiters handle
// spurious wakeups.
inline void FutexWake(std::atomic<uint32_t>* word, int threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

}  // namespace ramet::linalg
