#include "ramet/replica/redis/redis_follower.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "ramet/replica/redis/ask_publisher.h"
#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/publication_watch.h"
#include "ramet/replica/redis/seen_state.h"
#include "ramet/replica/redis/server.h"
#include "ramet/replica/redis/transfer.h"
#include "ramet/replica/redis/version_fetcher.h"
#include "ramet/replica/version_text.h"

namespace ramet::redis {
namespace {

constexpr auto kAnswerTimeout = std::chrono::seconds(30);

uint64_t MachineMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Checks that the values of a version are not larger than this side accepts.
Status CheckSize(const RedisUrl& url, const ReplicaSignature& signature) {
  const uint64_t limit = url.max_bytes ? url.max_bytes : MachineMemory();
  uint64_t bytes = 0;
  for (const VariableSpec& spec : signature) {
    RAMET_ASSIGN_OR_RETURN(const size_t value, TensorBytes(spec.dtype, spec.shape));
    if (value > limit - bytes) {
      return ResourceExhausted("the published values take more than ", limit, " bytes, which is ",
                               url.max_bytes ? "option max_bytes" : "this machine's memory");
    }
    bytes += value;
  }
  return OkStatus();
}

class RedisFollower final : public FollowerTransport {
 public:
  explicit RedisFollower(RedisUrl url) : server_(std::move(url)) {}
  ~RedisFollower() override { Interrupt(); }
  Status Start(Clock::time_point deadline);

  const Announcement& announcement() const override { return announcement_; }
  uint64_t Newest(std::string_view label) const override { return seen_.Newest(label); }
  std::vector<uint64_t> Versions() const override { return seen_.Versions(); }
  StatusOr<std::unique_ptr<HeldVersion>> Take(uint64_t version) override {
    return fetcher_.Take(version);
  }
  void Wait(uint64_t* seen, Clock::time_point deadline) override { seen_.Wait(seen, deadline); }
  StatusOr<VersionHashes> Hashes(uint64_t version, Clock::time_point deadline) override;
  Status Promote(std::string_view label, uint64_t version) override;
  StatusOr<uint64_t> Rollback(uint64_t version) override;
  StatusOr<PublisherStats> PublisherStatus() override;
  void Interrupt() override;
  bool connected() const override { return seen_.connected(); }
  bool ended() const override { return seen_.superseded(); }

 private:
  Status ReadAnnouncement(Connection& connection, const ServerState& state);
  StatusOr<Answer> Ask(Request request, Clock::time_point deadline);

  const Server server_;
  Announcement announcement_;
  SeenState seen_;
  VersionFetcher fetcher_{server_, announcement_, seen_};
  PublicationWatch watch_{server_, seen_};  // its thread uses the members above
};

Status RedisFollower::Start(Clock::time_point deadline) {
  RedisUrl url = server_.url;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  url.times.timeout = std::max(std::min(url.times.timeout, left), std::chrono::milliseconds(1));
  RAMET_ASSIGN_OR_RETURN(auto connection, Connection::Open(url, server_.keys.lock(), server_.stop));
  RAMET_ASSIGN_OR_RETURN(Seen seen, ReadSeen(server_.keys, *connection));
  if (!seen.published) return NotFound("nothing is published under that name");
  RAMET_RETURN_IF_ERROR(ReadAnnouncement(*connection, seen.state));
  seen_.Begin(announcement_.epoch, std::move(seen));
  return watch_.Start();
}

Status RedisFollower::ReadAnnouncement(Connection& connection, const ServerState& state) {
  announcement_.epoch = state.epoch;
  RAMET_ASSIGN_OR_RETURN(const std::string signature,
                         FetchText(connection, server_.keys, state, state.signature));
  RAMET_ASSIGN_OR_RETURN(announcement_.signature, SignatureFromJson(signature));
  RAMET_RETURN_IF_ERROR(CheckSize(server_.url, announcement_.signature));
  RAMET_ASSIGN_OR_RETURN(announcement_.graph,
                         FetchText(connection, server_.keys, state, state.graph));
  return OkStatus();
}

StatusOr<Answer> RedisFollower::Ask(Request request, Clock::time_point deadline) {
  request.epoch = announcement_.epoch;
  auto answer = AskPublisher(server_, seen_, std::move(request), deadline);
  if (!answer.ok()) return answer.status().WithContext(server_.where());
  return answer;
}

StatusOr<VersionHashes> RedisFollower::Hashes(uint64_t version, Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(auto connection, server_.Connect());
  const std::string key = server_.keys.hashes(announcement_.epoch, version);
  RAMET_ASSIGN_OR_RETURN(const Reply known, connection->Call({"GET", key}));
  if (!known.nil()) {
    RAMET_ASSIGN_OR_RETURN(const Answer answer, ParseAnswer(known.view()));
    return answer.hashes;
  }
  RAMET_ASSIGN_OR_RETURN(const Answer answer, Ask({"", "hashes", version}, deadline));
  return answer.hashes;
}

Status RedisFollower::Promote(std::string_view label, uint64_t version) {
  return Ask({"", "promote", version, std::string(label)}, Clock::now() + kAnswerTimeout).status();
}

StatusOr<uint64_t> RedisFollower::Rollback(uint64_t version) {
  RAMET_ASSIGN_OR_RETURN(const Answer answer,
                         Ask({"", "rollback", version}, Clock::now() + kAnswerTimeout));
  return answer.version;
}

StatusOr<PublisherStats> RedisFollower::PublisherStatus() {
  RAMET_ASSIGN_OR_RETURN(const Answer answer, Ask({"", "status"}, Clock::now() + kAnswerTimeout));
  return PublisherStatsFromText(answer.stats);
}

void RedisFollower::Interrupt() {
  seen_.Interrupt();
  server_.stop.Set();
}

}  // namespace

StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& scheme, const std::string& location,
    FollowerTransport::Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(RedisUrl url, ParseRedisUrl(scheme, location));
  const std::string where = url.ToString();
  auto follower = std::make_unique<RedisFollower>(std::move(url));
  if (const Status status = follower->Start(deadline); !status.ok())
    return status.WithContext(where);
  return std::unique_ptr<FollowerTransport>(std::move(follower));
}

}  // namespace ramet::redis
