#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ramet {

// Makes the calling thread give way to those who train and serve, where processors are scarce.
inline void LowerPriority() {
  constexpr int kNice = 10;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
}

// Makes the calling thread wait for its turn when it is woken, on processors that are busy; apart
// from that it counts as much as others.
inline void WakeGently() {
  const sched_param none{};
  (void)sched_setscheduler(0, SCHED_BATCH, &none);
}

}  // namespace ramet
