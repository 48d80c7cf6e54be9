#include "ramet/replica/redis/publication_watch.h"

#include <algorithm>
#include <random>

#include "ramet/base/exception.h"
#include "ramet/base/log.h"
#include "ramet/replica/start_thread.h"

namespace ramet::redis {
namespace {

constexpr std::chrono::milliseconds kMaxRelinkWait{1000};

}  // namespace

PublicationWatch::~PublicationWatch() {
  if (thread_.joinable()) thread_.join();
}

Status PublicationWatch::Start() {
  return StartThread(&thread_, [this] { Run(); });
}

// Uses two connections, because one that waits for notifications can do nothing else.
void PublicationWatch::Run() {
  std::minstd_rand random(std::random_device{}());
  while (!seen_.interrupted()) {
    NoteCut(Guarded([this] {
      RAMET_ASSIGN_OR_RETURN(const auto looks, server_.Connect());
      RAMET_ASSIGN_OR_RETURN(const auto notices, server_.Connect());
      return ListenOn(*notices, *looks);
    }));
    const auto jitter = std::chrono::milliseconds(random() % static_cast<uint64_t>(pause_.count()));
    seen_.WaitForInterrupt(pause_ + jitter);
    pause_ = std::min(pause_ * 2, kMaxRelinkWait);
  }
}

// Listens until one of the connections is cut. A notification only triggers an earlier look, so it
// may be missed, and a user without permission for notifications can follow too.
Status PublicationWatch::ListenOn(Connection& notices, Connection& looks) {
  const Status subscribed = notices.Call({"SUBSCRIBE", server_.keys.notices()}).status();
  if (!subscribed.ok() && !IsPermissionDenied(subscribed)) return subscribed;
  while (!seen_.interrupted()) {
    auto seen = ReadSeen(server_.keys, looks);
    if (!seen.ok()) return seen.status();
    if (has_warned_) LogInfo(server_.where(), ": connected again");
    has_warned_ = false;
    pause_ = kFirstPause;
    seen_.Note(*std::move(seen));
    const auto next_look = Clock::now() + server_.url.times.poll;
    RAMET_ASSIGN_OR_RETURN(bool input, notices.WaitForInput(nullptr, next_look));
    while (input) {
      RAMET_RETURN_IF_ERROR(notices.Receive().status());
      RAMET_ASSIGN_OR_RETURN(input, notices.WaitForInput(nullptr, Clock::now()));
      if (seen_.interrupted()) break;
    }
  }
  return Cancelled("interrupted");
}

void PublicationWatch::NoteCut(const Status& why) {
  if (!has_warned_ && !IsCancelled(why)) {
    has_warned_ = true;
    LogWarning(server_.where(), ": ", why.message(),
               "; the current version stays until the server is back");
  }
  seen_.NoteCut();
}

}  // namespace ramet::redis
