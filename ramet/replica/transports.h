#pragma once

#include <memory>

#include "ramet/replica/address.h"
#include "ramet/replica/transport.h"

namespace ramet {

// The publisher's end for an address. \error as the transport says; kInvalidArgument for a label.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisherTransport(
    const ReplicaAddress& address, Announcement announcement, const RetentionOptions& retention,
    const AccessOptions& access);

// A follower's end. \error kNotFound if nobody publishes there; as the transport says.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollowerTransport(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline);

}  // namespace ramet
