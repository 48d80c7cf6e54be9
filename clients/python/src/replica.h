#pragma once

#include <chrono>

#include "core.h"
#include "interrupt.h"

// Conversions of versions and statistics to Python, shared by publishers, followers and monitors.
namespace ramet::python {

// Converts seconds; None means forever.
std::chrono::milliseconds ToMillis(nb::handle seconds);
// Returns (version, step, epoch, time in seconds, metrics, rollback_to, proof, hashes). The last
// element is None or (source, content). The Python half names the parts.
nb::tuple WrapVersion(const VersionInfo& info);
nb::dict WrapStats(const PublisherStats& stats);
nb::dict WrapStats(const FollowerStats& stats);
// Returns [(name, DType, list of int)].
nb::list WrapSignature(const ReplicaSignature& signature);

// Calls `fn` without the GIL, and raises its error.
template <class Fn>
auto Waiting(Fn fn) {
  auto result = WithoutGil(fn);
  if constexpr (std::is_same_v<decltype(result), Status>) {
    Check(result);
  } else {
    return Value(std::move(result));
  }
}

void BindPublisher(nb::module_& m);
void BindFollower(nb::module_& m);
void BindMonitor(nb::module_& m);

}  // namespace ramet::python
