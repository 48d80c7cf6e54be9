#include "ramet/replica/files/files_follower.h"
#include "ramet/replica/files/files_publisher.h"
#include "ramet/replica/transport_factory.h"

namespace ramet::files {
namespace {

constexpr TransportFactory::Scheme kSchemes[] = {
    {"file", "a folder of TensorFlow checkpoints", "file:DIR"},
};

Status Check(const ReplicaAddress&) { return OkStatus(); }

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
                                    .outlives_publisher = true,
                                    .counts_monitors = false,
                                    .check = Check,
                                    .open_publisher = Open,
                                    .connect_follower = Connect});

}  // namespace
}  // namespace ramet::files
