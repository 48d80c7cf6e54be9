#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// An address of a publisher: "shm:policy", "shm:/run/app/policy.sock", "file:/data/run",
// "redis://user:password@host:6379/policy?zstd=3". It may have a label: "shm:policy@stable",
// "redis://host/policy@stable?zstd=3".
struct ReplicaAddress {
  std::string scheme;    // "shm"
  std::string location;  // "policy"; "//user:password@host:6379/policy?zstd=3"
  std::string label;     // "stable", or empty for the newest version
};

// Parses an address.
// \error kInvalidArgument: the scheme is missing or unknown, the location is missing, or the label
//   is empty.
RAMET_EXPORT StatusOr<ReplicaAddress> ParseReplicaAddress(std::string_view address);

// Checks whether `address` is valid for publishing, without connecting.
// \error kInvalidArgument: as for ParseReplicaAddress, or the location is not valid for the scheme.
RAMET_EXPORT Status CheckReplicaAddress(std::string_view address);

// Reports whether versions published at `address` can be taken after the publisher's process has
// ended. Returns false if the scheme is unknown.
RAMET_EXPORT bool OutlivesPublisher(std::string_view address);

// Returns the forms that an address may have, for use in help texts: "shm:NAME or shm:PATH (shared
// memory on this machine), file:DIR (...), ...".
RAMET_EXPORT std::string ReplicaAddressForms();

// Returns the address for use in messages: without its password.
RAMET_EXPORT std::string PrintableAddress(std::string_view address);

}  // namespace ramet
