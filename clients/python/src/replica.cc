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
