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

// Until when a publisher that listens may take to greet. Waiting for one to come may have no limit;
// this has: 10 seconds, or until `deadline` if that is later.
FollowerTransport::Clock::time_point GreetingEnd(FollowerTransport::Clock::time_point deadline);
// \error kUnavailable for the address `text`, whose publisher has not greeted until then.
Status NoGreeting(std::string_view text, const Status& why);

}  // namespace ramet
