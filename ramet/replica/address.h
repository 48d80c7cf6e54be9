#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// Where versions are published: "shm:policy", "shm:/run/app/policy.sock", "file:/data/run",
// "redis://user:password@host:6379/policy?zstd=3"; with a label "shm:policy@stable",
// "redis://host/policy@stable?zstd=3".
struct ReplicaAddress {
  std::string scheme;  // "shm"
  std::string place;   // "policy"; "//user:password@host:6379/policy?zstd=3"
  std::string label;   // "stable"; empty: the newest version
};

// \error kInvalidArgument if there is no scheme, an unknown one, no place, or an empty label.
RAMET_EXPORT StatusOr<ReplicaAddress> ParseReplicaAddress(std::string_view address);

// Whether something could be published there, found out without going there (in transports.cc).
// \error kInvalidArgument as ParseReplicaAddress, and for a place that is none for its scheme.
RAMET_EXPORT Status CheckReplicaAddress(std::string_view address);

// The address as messages show it: without its password.
RAMET_EXPORT std::string PrintableAddress(std::string_view address);

}  // namespace ramet
