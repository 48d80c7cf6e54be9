#pragma once

#include <cstdint>
#include <string>

#include "ramet/replica/redis/layout.h"
#include "ramet/replica/redis/link.h"
#include "ramet/replica/redis/transfer.h"

namespace ramet::redis {

// A NameLease is a publisher's hold on the name of its publication, and the link over which it
// keeps that. The lease is a key on the server that contains the publisher's token and expires
// unless it is renewed. Not thread-safe.
class NameLease {
 public:
  // `server` must outlive the lease. `epoch` makes the token unique.
  NameLease(const Server& server, uint64_t epoch);
  NameLease(const NameLease&) = delete;
  NameLease& operator=(const NameLease&) = delete;

  Link& link() { return link_; }
  const Link& link() const { return link_; }

  // Takes the name. With `takeover`, takes it from its current publisher.
  // \error kAlreadyExists: the name has a publisher.
  Status Take(bool takeover);
  // Takes the name again, or finds that this publisher still has it.
  // \error kAborted: another publisher has taken the name.
  Status Regain();
  // Returns the time at which to call Beat.
  Clock::time_point next_beat() const { return next_beat_; }
  void ScheduleBeat() { next_beat_ = Clock::now() + server_.url.times.lease / 3; }
  // Renews the lease if it is time. For use during a long upload.
  // \error kUnavailable: the lease is lost. The link is closed.
  Status Keep();
  // Renews the lease, and keeps the publication's state, which must be `state`, from expiring.
  // \error kUnavailable: the lease or the state is lost. The link is closed.
  // \error kAborted: another publisher has taken the name. The link is closed.
  Status Beat(const ServerState& state);
  // Makes `state` visible to followers and returns how many were notified.
  // \error as for Beat.
  StatusOr<int64_t> Commit(const ServerState& state);
  // Returns an upload that renews the lease from time to time. The link must be usable.
  Upload NewUpload();
  // Gives the name up, notifies followers, and closes the link. Does nothing if that is not usable.
  void Release();
  // Gives the name up over a connection of its own, after the client has interrupted a call on the
  // link. Takes at most kAbandonTimeout.
  void Abandon();

 private:
  static constexpr std::chrono::milliseconds kAbandonTimeout{100};

  static Status OwnerError(const Reply& reply);
  void CloseOn(Connection& connection);

  const Server& server_;
  Link link_;
  const std::string token_;
  Clock::time_point next_beat_;
};

}  // namespace ramet::redis
