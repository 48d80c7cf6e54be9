#include "ramet/replica/address.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/replica/transports.h"

namespace ramet {
namespace {

using Scheme = TransportFactory::Scheme;

// Joins what `text_of` returns for each registered transport and each of its schemes.
template <class TextOf>
std::string JoinSchemes(TextOf text_of) {
  std::string all;
  for (const TransportFactory& factory : Transports()) {
    for (const Scheme& scheme : factory.schemes) {
      all += StrCat(all.empty() ? "" : ", ", text_of(factory, scheme));
    }
  }
  return all;
}

// Returns the forms of the addresses with this scheme.
std::string_view FormsOf(std::string_view name) {
  const auto& schemes = FindTransport(name)->schemes;
  return std::ranges::find(schemes, name, &Scheme::name)->forms;
}

// Returns one form for each scheme: "shm:NAME, file:DIR, ...".
std::string ShortForms() {
  return JoinSchemes([](const TransportFactory&, const Scheme& s) {
    return s.forms.substr(0, s.forms.find(' '));
  });
}

Status UnknownScheme(std::string_view address, std::string_view scheme) {
  return InvalidArgument("'", PrintableAddress(address), "': unknown address scheme '", scheme,
                         "'; use ", ShortForms());
}

// Suggests the schemes with which `location` is a valid address.
Status NoScheme(std::string_view location) {
  if (location.empty()) return InvalidArgument("the address is empty; use ", ShortForms());
  std::string hints;
  for (const TransportFactory& factory : Transports()) {
    for (const Scheme& s : factory.schemes) {
      const ReplicaAddress with_scheme{std::string(s.name), std::string(location), ""};
      if (!factory.check(with_scheme).ok()) continue;
      hints += StrCat(hints.empty() ? "" : ", or ", "write ", s.name, ":", location, " for ",
                      s.description);
    }
  }
  if (hints.empty()) hints = StrCat("use ", ShortForms());
  return InvalidArgument("'", location, "' has no scheme; ", hints);
}

// Returns the begin and end of the part of `location` that may have a label. For
// "//server/name?options" it is the name.
std::pair<size_t, size_t> LabeledPart(std::string_view location) {
  if (location.substr(0, 2) != "//") return {0, location.size()};
  const size_t name = std::min(location.find('/', 2), location.size());
  return {name, std::min(location.find('?', name), location.size())};
}

}  // namespace

StatusOr<ReplicaAddress> ParseReplicaAddress(std::string_view address) {
  const size_t colon = address.find(':');
  ReplicaAddress parsed;
  if (colon == address.npos) {
    return NoScheme(address);
  }
  parsed.scheme = address.substr(0, colon);
  if (FindTransport(parsed.scheme) == nullptr) return UnknownScheme(address, parsed.scheme);
  const std::string_view location = address.substr(colon + 1);
  const auto [begin, end] = LabeledPart(location);
  const std::string_view part = location.substr(begin, end - begin);
  // A label contains no '/', but a path may contain an '@' before one.
  size_t at = part.rfind('@');
  if (at != part.npos && part.find('/', at) != part.npos) at = part.npos;
  parsed.location = location.substr(0, begin);
  parsed.location += part.substr(0, at);
  parsed.location += location.substr(end);
  if (at != part.npos) {
    parsed.label = part.substr(at + 1);
    if (parsed.label.empty()) {
      return InvalidArgument("'", PrintableAddress(address), "' has an empty label");
    }
  }
  if (parsed.location.empty()) {
    return InvalidArgument("'", PrintableAddress(address), "' does not name a publisher; use ",
                           FormsOf(parsed.scheme));
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
  return JoinSchemes([](const TransportFactory& factory, const Scheme& s) {
    const std::string_view kept =
        factory.outlives_publisher ? "; versions outlive the publisher" : "";
    return StrCat(s.forms, " (", s.description, kept, ")");
  });
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
