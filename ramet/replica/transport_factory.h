#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ramet/replica/address.h"
#include "ramet/replica/transport.h"

namespace ramet {

// Says in messages how to take an address from its publisher.
inline constexpr std::string_view kTakeOver =
    "take over from it (AccessOptions::takeover, in Python takeover=True, 'ramet publish "
    "--takeover')";

// A TransportFactory opens both ends of one kind of transport. Immutable. A transport registers its
// factory where it is implemented, with a TransportRegistrar.
struct TransportFactory {
  // A scheme of addresses, with the texts that error messages and help texts show.
  struct Scheme {
    std::string_view name;         // "shm"
    std::string_view description;  // "shared memory on this machine"
    std::string_view forms;        // "shm:NAME or shm:PATH"
  };

  std::span<const Scheme> schemes;
  // True if followers can take versions after the publisher's process has ended.
  bool outlives_publisher = false;
  // True if the connection of a monitor counts in PublisherStats::readers.
  bool counts_monitors = false;

  // Checks the location of an address without connecting.
  // \error kInvalidArgument: the location is not valid for the scheme.
  Status (*check)(const ReplicaAddress& address) = nullptr;
  // Opens the publisher's end.
  // \error kAlreadyExists: the address has a publisher.
  // \error as documented by the transport.
  StatusOr<std::unique_ptr<PublisherTransport>> (*open_publisher)(
      const ReplicaAddress& address, Announcement announcement, const RetentionOptions& retention,
      const AccessOptions& access) = nullptr;
  // Connects a follower's end.
  // \error kNotFound: the address has no publisher.
  // \error as documented by the transport.
  StatusOr<std::unique_ptr<FollowerTransport>> (*connect_follower)(
      const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline) = nullptr;
};

// A TransportRegistrar adds a transport to those that addresses can name. Define a constant of this
// type at namespace scope in the transport's folder.
class TransportRegistrar {
 public:
  explicit TransportRegistrar(const TransportFactory& factory);
};

}  // namespace ramet
