#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace ramet::linalg {

// Sleeps until woken, unless `word` is not `value`. May return early.
inline void FutexWait(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

// Wakes up to `threads` threads. `word` need not exist any more: they all bear to be woken.
inline void FutexWake(std::atomic<uint32_t>* word, int threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

}  // namespace ramet::linalg
