#include "ramet/replica/address.h"

#include <algorithm>

namespace ramet {
namespace {

struct Scheme {
  std::string_view name, what;
};
constexpr Scheme kSchemes[] = {
    {"shm", "shared memory of this machine"},
    {"file", "a folder of TensorFlow checkpoints"},
    {"redis", "a Redis server"},
    {"rediss", "a Redis server over TLS"},
};

Status UnknownScheme(std::string_view address, std::string_view scheme) {
  std::string known;
  for (const Scheme& s : kSchemes)
    known += StrCat(known.empty() ? "" : ", ", s.name, ": (", s.what, ")");
  return InvalidArgument("'", PrintableAddress(address), "': '", scheme,
                         "' is no way to publish; there is ", known);
}

// Where the place's part begins that may have a label, and where it ends: of
// "//server/name?options" the name.
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
    return InvalidArgument("'", address, "' does not say how to get there; write shm:", address,
                           " for shared memory of this machine");
  }
  parsed.scheme = address.substr(0, colon);
  if (std::ranges::none_of(kSchemes, [&](const Scheme& s) { return s.name == parsed.scheme; })) {
    return UnknownScheme(address, parsed.scheme);
  }
  const std::string_view place = address.substr(colon + 1);
  const auto [begin, end] = LabelledPart(place);
  const std::string_view part = place.substr(begin, end - begin);
  // A label has no '/'; a path may have an '@' before one.
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
    return InvalidArgument("'", PrintableAddress(address), "' names no publisher");
  }
  return parsed;
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
