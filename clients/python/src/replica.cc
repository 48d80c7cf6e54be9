#include "replica.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

namespace ramet::python {

std::chrono::milliseconds ToMillis(nb::handle seconds) {
  using std::chrono::milliseconds;
  if (seconds.is_none()) return milliseconds(-1);
  const double value = nb::cast<double>(seconds);
  if (!(value >= 0))
    RaiseValueError("a time must be a number of seconds >= 0, or None to wait forever");
  return milliseconds(static_cast<int64_t>(std::min(value * 1000, 1e15)));
}

nb::tuple WrapVersion(const VersionInfo& info) {
  nb::object hashes = nb::none();
  if (info.proof == VersionProof::kProven) {
    hashes = nb::make_tuple(info.hashes.source, info.hashes.content);
  }
  const std::string_view proof = ProofName(info.proof);
  return nb::make_tuple(info.id.version, info.id.step, info.id.epoch,
                        static_cast<double>(info.time_nanos) / 1e9, nb::cast(info.metrics),
                        info.rollback_to, nb::str(proof.data(), proof.size()), hashes);
}

nb::dict WrapStats(const PublisherStats& stats) {
  nb::dict all;
  all["epoch"] = stats.epoch;
  all["version"] = stats.version;
  all["step"] = stats.step;
  all["time"] = static_cast<double>(stats.time_nanos) / 1e9;
  all["published"] = stats.published;
  all["skipped"] = stats.skipped;
  all["bytes_copied"] = stats.bytes_copied;
  all["bytes_in_use"] = stats.bytes_in_use;
  all["readers"] = stats.readers;
  all["oldest_in_use"] = stats.oldest_in_use;
  all["labels"] = nb::cast(stats.labels);
  return all;
}

nb::dict WrapStats(const FollowerStats& stats) {
  nb::dict all;
  all["version"] = stats.current.id.version;
  all["epoch"] = stats.current.id.epoch;
  all["step"] = stats.current.id.step;
  all["newest"] = stats.newest;
  all["lag"] = stats.lag;
  all["lag_seconds"] = stats.lag_seconds;
  all["age_seconds"] = stats.age_seconds;
  all["swaps"] = stats.swaps;
  all["reloads"] = stats.reloads;
  all["proven"] = stats.proven;
  all["refused"] = stats.refused;
  all["last_refusal"] = stats.last_refusal;
  all["bytes"] = stats.bytes;
  all["connected"] = stats.connected;
  all["on_fallback"] = stats.on_fallback;
  all["missing"] = nb::cast(stats.missing);
  all["extra"] = nb::cast(stats.extra);
  return all;
}

nb::list WrapSignature(const ReplicaSignature& signature) {
  nb::list all;
  for (const VariableSpec& spec : signature) {
    nb::list dims;
    for (const int64_t dim : spec.shape.dims()) dims.append(dim);
    all.append(nb::make_tuple(spec.name, nb::steal(WrapDType(spec.dtype)), dims));
  }
  return all;
}

}  // namespace ramet::python
