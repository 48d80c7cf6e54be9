#include "ramet/replica/redis/redis_transport.h"

#include "ramet/replica/redis/redis_follower.h"
#include "ramet/replica/redis/redis_publisher.h"
#include "ramet/replica/redis/redis_url.h"

namespace ramet::redis {
namespace {

constexpr TransportFactory::Scheme kSchemes[] = {
    {"redis", "a Redis server", "redis://HOST/NAME"},
    {"rediss", "a Redis server over TLS", "rediss://HOST/NAME"},
};

Status Check(const ReplicaAddress& address) {
  return ParseRedisUrl(address.scheme, address.place).status();
}

StatusOr<std::unique_ptr<PublisherTransport>> Open(const ReplicaAddress& address,
                                                   Announcement announcement,
                                                   const RetentionOptions& retention,
                                                   const AccessOptions& access) {
  return OpenPublisher(address.scheme, address.place, std::move(announcement), retention,
                       access.takeover);
}

StatusOr<std::unique_ptr<FollowerTransport>> Connect(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline) {
  return ConnectFollower(address.scheme, address.place, deadline);
}

}  // namespace

const TransportFactory& Transport() {
  static constexpr TransportFactory factory = {.schemes = kSchemes,
                                               .outlives_publisher = true,
                                               .counts_monitors = false,
                                               .check = Check,
                                               .open_publisher = Open,
                                               .connect_follower = Connect};
  return factory;
}

}  // namespace ramet::redis
