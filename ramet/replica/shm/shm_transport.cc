#include <unistd.h>

#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/shm_follower.h"
#include "ramet/replica/shm/shm_publisher.h"
#include "ramet/replica/transport_factory.h"

namespace ramet::shm {
namespace {

constexpr TransportFactory::Scheme kSchemes[] = {
    {"shm", "shared memory on this machine", "shm:NAME or shm:PATH"},
};

Status Check(const ReplicaAddress& address) {
  return SocketAddress(address.location, geteuid()).status();
}

StatusOr<std::unique_ptr<PublisherTransport>> Open(const ReplicaAddress& address,
                                                   Announcement announcement,
                                                   const RetentionOptions& retention,
                                                   const AccessOptions& access) {
  return OpenPublisher(address.location, std::move(announcement), retention, access);
}

StatusOr<std::unique_ptr<FollowerTransport>> Connect(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline) {
  return ConnectFollower(address.location, deadline);
}

const TransportRegistrar registrar({.schemes = kSchemes,
                                    .outlives_publisher = false,
                                    .counts_monitors = true,
                                    .check = Check,
                                    .open_publisher = Open,
                                    .connect_follower = Connect});

}  // namespace
}  // namespace ramet::shm
