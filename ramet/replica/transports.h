#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ramet/replica/address.h"
#include "ramet/replica/transport_factory.h"

namespace ramet {

// Returns the factories of all transports, ordered by the names of their schemes.
std::span<const TransportFactory> Transports();
// Returns the factory for addresses with `scheme`, or null if the scheme is unknown.
const TransportFactory* FindTransport(std::string_view scheme);
// Returns the factory for an address.
// \error kInvalidArgument: the scheme is unknown.
StatusOr<const TransportFactory*> TransportOf(const ReplicaAddress& address);

// Opens the publisher's end of the transport for an address.
// \error kInvalidArgument: the address has a label.
// \error as documented by the transport.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisherTransport(
    const ReplicaAddress& address, Announcement announcement, const RetentionOptions& retention,
    const AccessOptions& access);

// Connects the follower's end of the transport for an address.
// \error kNotFound: the address has no publisher.
// \error as documented by the transport.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollowerTransport(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline);

// Returns the time until which a listening publisher may take to greet: 10 seconds from now, or
// `deadline` if that is later. An infinite deadline counts as 10 seconds.
FollowerTransport::Clock::time_point GreetingEnd(FollowerTransport::Clock::time_point deadline);
// Returns kUnavailable for the address `text`, whose publisher did not greet in time.
Status NoGreeting(std::string_view text, const Status& why);

}  // namespace ramet
