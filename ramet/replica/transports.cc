#include "ramet/replica/transports.h"

#include <algorithm>
#include <vector>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

constexpr auto kGreetingTimeout = std::chrono::seconds(10);

// The registered factories. Written by registrars before main, then only read, also by threads that
// run while the process exits.
std::vector<TransportFactory>& Registered() {
  static auto* const factories = new std::vector<TransportFactory>;
  return *factories;
}

std::string_view FirstScheme(const TransportFactory& factory) {
  return factory.schemes.front().name;
}

}  // namespace

// The order of registration depends on the linker, so the factories are kept in a fixed order.
TransportRegistrar::TransportRegistrar(const TransportFactory& factory) {
  std::vector<TransportFactory>& all = Registered();
  all.insert(std::ranges::upper_bound(all, FirstScheme(factory), {}, FirstScheme), factory);
}

std::span<const TransportFactory> Transports() { return Registered(); }

const TransportFactory* FindTransport(std::string_view scheme) {
  for (const TransportFactory& factory : Transports()) {
    const auto is_named = [&](const TransportFactory::Scheme& s) { return s.name == scheme; };
    if (std::ranges::any_of(factory.schemes, is_named)) return &factory;
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
