#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ramet {

// Lowers the priority of the calling thread below that of threads that train and serve.
inline void LowerPriority() {
  constexpr int kNice = 10;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
}

// Makes the calling thread wait for its turn when it wakes up on a busy processor. Otherwise its
// priority stays the same.
inline void WakeGently() {
  const sched_param none{};
  (void)sched_setscheduler(0, SCHED_BATCH, &none);
}

}  // namespace ramet
