#include "ramet/replica/address.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/replica/transports.h"

namespace ramet {
namespace {

Status UnknownScheme(std::string_view address, std::string_view scheme) {
  std::string known;
  for (const TransportFactory* factory : Transports()) {
    for (const TransportFactory::Scheme& s : factory->schemes) {
      known += StrCat(known.empty() ? "" : ", ", s.name, ": (", s.description, ")");
    }
  }
  return InvalidArgument("'", PrintableAddress(address), "': unknown address scheme '", scheme,
                         "'; use ", known);
}

// Returns the begin and end of the part of `place` that may have a label. For
// "//server/name?options" it is the name.
std::pair<size_t, size_t> LabelledPart(std::string_view place) {
  if (place.substr(0, 2) != "//") return {0, place.size()};
  const size_t name = std::min(place.find('/', 2), place.size());
  return {name, std::min(place.find('?', name), place.size())};
}

}  // namespace

StatusOr<ReplicaAddress> ParseReplicaAddress(std::string_view address) {
  const size_t colon = address.find(':');
  ReplicaAddress parsed;
  if (colon == address.npos) {
    return InvalidArgument("'", address, "' has no scheme; write shm:", address,
                           " for shared memory on this machine");
  }
  parsed.scheme = address.substr(0, colon);
  if (FindTransport(parsed.scheme) == nullptr) return UnknownScheme(address, parsed.scheme);
  const std::string_view place = address.substr(colon + 1);
  const auto [begin, end] = LabelledPart(place);
  const std::string_view part = place.substr(begin, end - begin);
  // A label contains no '/', but a path may contain an '@' before one.
  size_t at = part.rfind('@');
  if (at != part.npos && part.find('/', at) != part.npos) at = part.npos;
  parsed.place = place.substr(0, begin);
  parsed.place += part.substr(0, at);
  parsed.place += place.substr(end);
  if (at != part.npos) {
    parsed.label = part.substr(at + 1);
    if (parsed.label.empty()) {
      return InvalidArgument("'", PrintableAddress(address), "' has an empty label");
    }
  }
  if (parsed.place.empty()) {
    return InvalidArgument("'", PrintableAddress(address), "' does not name a publisher");
  }
  return parsed;
}

Status CheckReplicaAddress(std::string_view address) {
  RAMET_ASSIGN_OR_RETURN(const ReplicaAddress parsed, ParseReplicaAddress(address));
  RAMET_ASSIGN_OR_RETURN(const TransportFactory* factory, TransportOf(parsed));
  return factory->check(parsed);
}

bool OutlivesPublisher(std::string_view address) {
  const TransportFactory* factory = FindTransport(address.substr(0, address.find(':')));
  return factory != nullptr && factory->outlives_publisher;
}

std::string ReplicaAddressForms() {
  std::string forms;
  for (const TransportFactory* factory : Transports()) {
    for (const TransportFactory::Scheme& s : factory->schemes) {
      forms += StrCat(forms.empty() ? "" : ", ", s.forms, " (", s.description, ")");
    }
  }
  return forms;
}

std::string PrintableAddress(std::string_view address) {
  const size_t server = address.find("://");
  if (server == address.npos) return std::string(address);
  const size_t end = std::min(address.find('/', server + 3), address.size());
  const size_t at = address.substr(0, end).rfind('@');
  if (at == address.npos || at < server) return std::string(address);
  const size_t colon = address.find(':', server + 3);
  if (colon > at) return std::string(address);
  return StrCat(address.substr(0, colon), ":***", address.substr(at));
}

}  // namespace ramet
