#include "ramet/replica/transports.h"

#include <unistd.h>

#include <algorithm>

#include "ramet/replica/files/files_follower.h"
#include "ramet/replica/files/files_publisher.h"
#include "ramet/replica/redis/redis_follower.h"
#include "ramet/replica/redis/redis_publisher.h"
#include "ramet/replica/redis/redis_url.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/shm_follower.h"
#include "ramet/replica/shm/shm_publisher.h"

namespace ramet {
namespace {

using PublisherPtr = StatusOr<std::unique_ptr<PublisherTransport>>;
using FollowerPtr = StatusOr<std::unique_ptr<FollowerTransport>>;
using Deadline = FollowerTransport::Clock::time_point;

constexpr auto kGreeting = std::chrono::seconds(10);

Status CheckShm(const ReplicaAddress& address) {
  return shm::SocketAddress(address.place, geteuid()).status();
}
PublisherPtr OpenShm(const ReplicaAddress& address, Announcement announcement,
                     const RetentionOptions& retention, const AccessOptions& access) {
  return shm::OpenPublisher(address.place, std::move(announcement), retention, access);
}
FollowerPtr ConnectShm(const ReplicaAddress& address, Deadline deadline) {
  return shm::ConnectFollower(address.place, deadline);
}

Status CheckFiles(const ReplicaAddress&) { return OkStatus(); }
PublisherPtr OpenFiles(const ReplicaAddress& address, Announcement announcement,
                       const RetentionOptions& retention, const AccessOptions& access) {
  return files::OpenPublisher(address.place, std::move(announcement), retention, access);
}
FollowerPtr ConnectFiles(const ReplicaAddress& address, Deadline deadline) {
  return files::ConnectFollower(address.place, deadline);
}

Status CheckRedis(const ReplicaAddress& address) {
  return redis::ParseRedisUrl(address.scheme, address.place).status();
}
PublisherPtr OpenRedis(const ReplicaAddress& address, Announcement announcement,
                       const RetentionOptions& retention, const AccessOptions& access) {
  return redis::OpenPublisher(address.scheme, address.place, std::move(announcement), retention,
                              access.takeover);
}
FollowerPtr ConnectRedis(const ReplicaAddress& address, Deadline deadline) {
  return redis::ConnectFollower(address.scheme, address.place, deadline);
}

struct Way {
  std::string_view scheme;
  decltype(&CheckShm) check;
  decltype(&OpenShm) open;
  decltype(&ConnectShm) connect;
};
constexpr Way kWays[] = {
    {"shm", CheckShm, OpenShm, ConnectShm},
    {"file", CheckFiles, OpenFiles, ConnectFiles},
    {"redis", CheckRedis, OpenRedis, ConnectRedis},
    {"rediss", CheckRedis, OpenRedis, ConnectRedis},
};

StatusOr<const Way*> WayOf(const ReplicaAddress& address) {
  const auto* way = std::ranges::find(kWays, address.scheme, &Way::scheme);
  if (way != std::end(kWays)) return way;
  return InvalidArgument("'", address.scheme, "' is no way to publish");
}

}  // namespace

Status CheckReplicaAddress(std::string_view address) {
  RAMET_ASSIGN_OR_RETURN(const ReplicaAddress parsed, ParseReplicaAddress(address));
  RAMET_ASSIGN_OR_RETURN(const Way* way, WayOf(parsed));
  return way->check(parsed);
}

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisherTransport(
    const ReplicaAddress& address, Announcement announcement, const RetentionOptions& retention,
    const AccessOptions& access) {
  if (!address.label.empty()) {
    return InvalidArgument("a publisher's address has no label ('@", address.label,
                           "'); Promote gives a version one");
  }
  RAMET_ASSIGN_OR_RETURN(const Way* way, WayOf(address));
  return way->open(address, std::move(announcement), retention, access);
}

FollowerTransport::Clock::time_point GreetingEnd(FollowerTransport::Clock::time_point deadline) {
  using Clock = FollowerTransport::Clock;
  const auto least = Clock::now() + kGreeting;
  return deadline == Clock::time_point::max() ? least : std::max(deadline, least);
}

Status NoGreeting(std::string_view text, const Status& why) {
  return Unavailable(text, ": a process listens there but did not greet in time (", why.message(),
                     "); it may be stopped, out of descriptors, or not a publisher: restart it, ",
                     "or follow another address");
}

StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollowerTransport(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(const Way* way, WayOf(address));
  return way->connect(address, deadline);
}

}  // namespace ramet
