#pragma once

#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <type_traits>

#include "core.h"
#include "interrupt.h"

// Conversions of versions and statistics to Python, shared by publishers, followers and monitors.
namespace ramet::python {

// Converts seconds; None means forever.
std::chrono::milliseconds ToMillis(nb::handle seconds);
// Returns (version, step, epoch, time in seconds, metrics, rollback_to, proof, hashes). The last
// element is None or (source, content). The Python half names the parts.
nb::tuple WrapVersion(const VersionInfo& info);
// Returns [(name, DType, list of int)].
nb::list WrapSignature(const ReplicaSignature& signature);

// Calls fn(name, value) for each statistic, with times as seconds. A follower's current version has
// only the numbers that are metrics.
template <class Stats, class Fn>
void ForEachPythonStat(const Stats& stats, const Fn& fn) {
  ForEachStat(stats, [&]<class T>(const StatField& field, const T& value) {
    if constexpr (std::is_same_v<T, VersionInfo>) {
      ForEachStat(value, [&]<class U>(const StatField& part, const U& number) {
        if constexpr (std::is_arithmetic_v<U>) {
          if (!part.metric.empty()) fn(NameInSeconds(part), nb::cast(number));
        }
      });
    } else if (field.kind == StatField::Kind::kTime) {
      if constexpr (std::is_arithmetic_v<T>) {
        fn(NameInSeconds(field), nb::cast(static_cast<double>(value) / 1e9));
      }
    } else {
      fn(NameInSeconds(field), nb::cast(value));
    }
  });
}

template <class Stats>
nb::dict WrapStats(const Stats& stats) {
  nb::dict all;
  ForEachPythonStat(stats, [&](std::string_view name, nb::object value) {
    all[nb::str(name.data(), name.size())] = value;
  });
  return all;
}

// Returns the keys of WrapStats.
template <class Stats>
nb::list StatNames() {
  return WrapStats(Stats()).keys();
}

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
