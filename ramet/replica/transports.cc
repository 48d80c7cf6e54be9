#include "ramet/replica/transports.h"

#include <algorithm>
#include <array>

#include "ramet/base/strings.h"
#include "ramet/replica/files/files_transport.h"
#include "ramet/replica/redis/redis_transport.h"
#include "ramet/replica/shm/shm_transport.h"

namespace ramet {
namespace {

constexpr auto kGreetingTimeout = std::chrono::seconds(10);

}  // namespace

// A list, not registration by static objects, which the linker drops from a static library.
std::span<const TransportFactory* const> Transports() {
  static const std::array factories = {&shm::Transport(), &files::Transport(), &redis::Transport()};
  return factories;
}

const TransportFactory* FindTransport(std::string_view scheme) {
  for (const TransportFactory* factory : Transports()) {
    const auto named = [&](const TransportFactory::Scheme& s) { return s.name == scheme; };
    if (std::ranges::any_of(factory->schemes, named)) return factory;
  }
  return nullptr;
}

StatusOr<const TransportFactory*> TransportOf(const ReplicaAddress& address) {
  if (const TransportFactory* factory = FindTransport(address.scheme)) return factory;
  return InvalidArgument("unknown address scheme '", address.scheme, "'");
}

StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisherTransport(
    const ReplicaAddress& address, Announcement announcement, const RetentionOptions& retention,
    const AccessOptions& access) {
  if (!address.label.empty()) {
    return InvalidArgument("a publisher's address must not have a label ('@", address.label,
                           "'); use Promote to label a version");
  }
  RAMET_ASSIGN_OR_RETURN(const TransportFactory* factory, TransportOf(address));
  return factory->open_publisher(address, std::move(announcement), retention, access);
}

StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollowerTransport(
    const ReplicaAddress& address, FollowerTransport::Clock::time_point deadline) {
  RAMET_ASSIGN_OR_RETURN(const TransportFactory* factory, TransportOf(address));
  return factory->connect_follower(address, deadline);
}

FollowerTransport::Clock::time_point GreetingEnd(FollowerTransport::Clock::time_point deadline) {
  using Clock = FollowerTransport::Clock;
  const auto min_end = Clock::now() + kGreetingTimeout;
  return deadline == Clock::time_point::max() ? min_end : std::max(deadline, min_end);
}

Status NoGreeting(std::string_view text, const Status& why) {
  return Unavailable(text, ": a process listens there but did not greet in time (", why.message(),
                     "); it may be stopped, out of descriptors, or not a publisher: restart it, ",
                     "or follow another address");
}

}  // namespace ramet
