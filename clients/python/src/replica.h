#pragma once

#include <chrono>

#include "core.h"
#include "interrupt.h"

// What publishing, following and monitoring share: how versions and figures look in Python.
namespace ramet::python {

// None: for ever.
std::chrono::milliseconds ToMillis(nb::handle seconds);
// (version, step, epoch, time in seconds, metrics, rollback_to, proof, hashes), the last one None
// or (source, content); the Python half names the parts.
nb::tuple WrapVersion(const VersionInfo& info);
nb::dict WrapStats(const PublisherStats& stats);
nb::dict WrapStats(const FollowerStats& stats);
// [(name, DType, list of int)].
nb::list WrapSignature(const ReplicaSignature& signature);

// Calls without the GIL; raises what went wrong.
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
