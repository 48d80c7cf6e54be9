#include "ramet/replica/shm/shm_transport.h"

#include <unistd.h>

#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/shm_follower.h"
#include "ramet/replica/shm/shm_publisher.h"

namespace ramet::shm {
namespace {

constexpr TransportFactory::Scheme kSchemes[] = {
    {"shm", "shared memory on this machine", "shm:NAME or shm:PATH"},
};

Status Check(const ReplicaAddress& address) {
  return SocketAddress(address.place, geteuid()).status();
}

StatusOr<std::unique_ptr<PublisherTransport>> Open(const ReplicaAddress& address,
                                                   Announcement announcement,
                                                   const RetentionOptions& retention,
                                                   const AccessOptions& access) {
  return OpenPublisher(address.place, std::move(announcement), retention, access);
}

StatusOr<std::unique_ptr<FollowerTransport>> Connect(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline) {
  return ConnectFollower(address.place, deadline);
}

}  // namespace

const TransportFactory& Transport() {
  static constexpr TransportFactory factory = {.schemes = kSchemes,
                                               .outlives_publisher = false,
                                               .counts_monitors = true,
                                               .check = Check,
                                               .open_publisher = Open,
                                               .connect_follower = Connect};
  return factory;
}

}  // namespace ramet::shm
