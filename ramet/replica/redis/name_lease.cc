#include "ramet/replica/redis/name_lease.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string_view>

#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"
#include "ramet/replica/transport_factory.h"

namespace ramet::redis {
namespace {

// These are scripts so that no other publisher can take the name between two commands.
constexpr std::string_view kCommit = R"(
local owner = redis.call('GET', KEYS[1])
if owner ~= ARGV[1] then return {0, owner or ''} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return {1, redis.call('PUBLISH', ARGV[5], ARGV[6])})";
constexpr std::string_view kKeep = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2]))";
constexpr std::string_view kBeat = R"(
local owner = redis.call('GET', KEYS[1])
if owner ~= ARGV[1] then return {0, owner or ''} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if redis.call('GET', KEYS[2]) ~= ARGV[3] then return {1, 0} end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {1, 1})";
constexpr std::string_view kClose = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('PUBLISH', ARGV[2], 'closed'))";

std::string NewToken(uint64_t epoch) {
  std::random_device random;
  return StrCat(epoch, ":", (uint64_t{random()} << 32) | random());
}

// Keeps an interrupt of the client from ending calls on this thread.
class Uninterrupted final : public RunInterrupt {
 public:
  Uninterrupted() : RunInterrupt(false) {}

 private:
  bool Due() override { return false; }
};

std::string Text(std::chrono::milliseconds time) { return StrCat(time.count()); }

}  // namespace

NameLease::NameLease(const Server& server, uint64_t epoch)
    : server_(server), link_(server), token_(NewToken(epoch)) {}

Status NameLease::Take(bool takeover) {
  if (takeover) {
    return link_->Call({"SET", server_.keys.lock(), token_, "PX", Text(server_.url.times.lease)})
        .status();
  }
  RAMET_ASSIGN_OR_RETURN(const Reply taken, link_->Call({"SET", server_.keys.lock(), token_, "NX",
                                                         "PX", Text(server_.url.times.lease)}));
  if (!taken.nil()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Reply owner, link_->Call({"GET", server_.keys.lock()}));
  if (owner.view() == token_) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Reply left, link_->Call({"PTTL", server_.keys.lock()}));
  return AlreadyExists("the name has a publisher; if it has died, the name becomes free in ",
                       std::max<int64_t>(left.integer, 0), " ms; or ", kTakeOver);
}

Status NameLease::Regain() {
  RAMET_ASSIGN_OR_RETURN(const Reply taken, link_->Call({"SET", server_.keys.lock(), token_, "NX",
                                                         "PX", Text(server_.url.times.lease)}));
  if (!taken.nil()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(const Reply owner, link_->Call({"GET", server_.keys.lock()}));
  if (owner.nil()) return Unavailable("the lease on the name is changing hands");
  if (owner.view() == token_) return OkStatus();
  return Aborted("another publisher has taken over the name; this one cannot publish");
}

Status NameLease::OwnerError(const Reply& reply) {
  if (reply.items.size() != 2) {
    return DataLoss("unexpected reply of the server to a script: expected 2 items, got ",
                    reply.items.size());
  }
  if (reply.items[1].view().empty()) return NotFound("the lease on the name has expired");
  return Aborted("another publisher has taken over the name; this one cannot publish");
}

Status NameLease::Keep() {
  if (Clock::now() < next_beat_) return OkStatus();
  ScheduleBeat();
  RAMET_ASSIGN_OR_RETURN(const Reply kept, link_->Call({"EVAL", kKeep, "1", server_.keys.lock(),
                                                        token_, Text(server_.url.times.lease)}));
  if (kept.integer == 1) return OkStatus();
  link_.Close();
  return Unavailable("the server has lost the lease on the name");
}

Status NameLease::Beat(const ServerState& state) {
  ScheduleBeat();
  RAMET_ASSIGN_OR_RETURN(
      const Reply reply,
      link_->Call({"EVAL", kBeat, "2", server_.keys.lock(), server_.keys.state(), token_,
                   Text(server_.url.times.lease), StateText(state), Text(server_.url.times.ttl)}));
  const bool ours = reply.items.size() == 2 && reply.items[0].integer == 1;
  if (ours && reply.items[1].integer == 1) return OkStatus();
  const Status status = ours ? OkStatus() : OwnerError(reply);
  link_.Close();
  if (IsAborted(status)) return status;
  return Unavailable("the server has lost the publication");
}

StatusOr<int64_t> NameLease::Commit(const ServerState& state) {
  RAMET_ASSIGN_OR_RETURN(
      const Reply reply,
      link_->Call({"EVAL", kCommit, "2", server_.keys.lock(), server_.keys.state(), token_,
                   Text(server_.url.times.lease), StateText(state), Text(server_.url.times.ttl),
                   server_.keys.notices(), StrCat(state.version)}));
  if (reply.items.size() != 2 || reply.items[0].integer != 1) {
    const Status status = OwnerError(reply);
    link_.Close();
    return IsNotFound(status) ? Unavailable(status.message()) : status;
  }
  ScheduleBeat();
  return reply.items[1].integer;
}

Upload NameLease::NewUpload() {
  return Upload(*link_, server_.url, [this] { return Keep(); });
}

void NameLease::Release() {
  if (!link_.usable()) return;
  CloseOn(*link_);
  link_.Close();
}

void NameLease::Abandon() {
  link_.Close();
  const Uninterrupted scope;
  RedisUrl url = server_.url;
  url.times.timeout = std::min(url.times.timeout, kAbandonTimeout);
  auto connection = Connection::Open(url, server_.keys.lock(), server_.stop);
  if (connection.ok()) CloseOn(**connection);
}

void NameLease::CloseOn(Connection& connection) {
  connection.Call({"EVAL", kClose, "1", server_.keys.lock(), token_, server_.keys.notices()})
      .status()
      .IgnoreError();
}

}  // namespace ramet::redis
