#include "ramet/replica/redis/redis_follower.h"
#include "ramet/replica/redis/redis_publisher.h"
#include "ramet/replica/redis/redis_url.h"
#include "ramet/replica/transport_factory.h"

namespace ramet::redis {
namespace {

constexpr TransportFactory::Scheme kSchemes[] = {
    {"redis", "a Redis server", "redis://HOST/NAME"},
    {"rediss", "a Redis server over TLS", "rediss://HOST/NAME"},
};

Status Check(const ReplicaAddress& address) {
  return ParseRedisUrl(address.scheme, address.location).status();
}

StatusOr<std::unique_ptr<PublisherTransport>> Open(const ReplicaAddress& address,
                                                   Announcement announcement,
                                                   const RetentionOptions& retention,
                                                   const AccessOptions& access) {
  return OpenPublisher(address.scheme, address.location, std::move(announcement), retention,
                       access.takeover);
}

StatusOr<std::unique_ptr<FollowerTransport>> Connect(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline) {
  return ConnectFollower(address.scheme, address.location, deadline);
}

const TransportRegistrar registrar({.schemes = kSchemes,
                                    .outlives_publisher = true,
                                    .counts_monitors = false,
                                    .check = Check,
                                    .open_publisher = Open,
                                    .connect_follower = Connect});

}  // namespace
}  // namespace ramet::redis
