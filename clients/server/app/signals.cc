#include "app/signals.h"

namespace server {

Signals::Signals() {
  sigemptyset(&set_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  // A client that closes its connection is an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
}

int Signals::Wait(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec limit{.tv_sec = static_cast<time_t>(seconds.count()),
                       .tv_nsec = static_cast<long>((time - seconds).count()) * 1'000'000};
  const int signal = sigtimedwait(&set_, nullptr, &limit);
  return signal > 0 ? signal : 0;
}

void Signals::Release() { pthread_sigmask(SIG_UNBLOCK, &set_, nullptr); }

}  // namespace server
