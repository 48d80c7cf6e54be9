#include "checkpoint.h"

namespace cli {
namespace {

namespace rm = ramet;

constexpr int kAttempts = 20;

rm::StatusOr<CheckpointSummary> ReadOnce(rm::BundleReader& reader) {
  CheckpointSummary summary;
  RAMET_ASSIGN_OR_RETURN(summary.tensors, reader.List());
  for (const rm::BundleTensor& tensor : summary.tensors) {
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, reader.Read(tensor.name));
    summary.bytes +=
        tensor.slices.empty() ? tensor.stored_bytes : static_cast<int64_t>(value.bytes());
    if (tensor.name != "global_step" || value.num_elements() != 1) continue;
    if (value.dtype() == rm::kInt64) summary.step = value.scalar<int64_t>();
    if (value.dtype() == rm::kInt32) summary.step = value.scalar<int32_t>();
  }
  return summary;
}

}  // namespace

rm::StatusOr<CheckpointSummary> VerifyCheckpoint(const std::string& prefix) {
  RAMET_ASSIGN_OR_RETURN(rm::BundleReader reader, rm::BundleReader::Open(prefix));
  for (int attempt = 1;; ++attempt) {
    auto summary = ReadOnce(reader);
    const bool torn = summary.ok() && reader.HasDataNewerThanIndex();
    if (summary.ok() && !torn) return summary;
    RAMET_ASSIGN_OR_RETURN(rm::BundleReader newer, rm::BundleReader::Open(prefix));
    const bool replaced = newer.index_identity() != reader.index_identity();
    if (!replaced || attempt == kAttempts) return summary;
    reader = std::move(newer);
  }
}

}  // namespace cli
