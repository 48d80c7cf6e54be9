#include "checkpoint.h"

namespace cli {
namespace {

namespace rm = ramet;

constexpr int kAttempts = 20;

rm::StatusOr<CheckpointSummary> ReadOnce(rm::CheckpointReader& reader) {
  CheckpointSummary summary;
  RAMET_ASSIGN_OR_RETURN(summary.tensors, reader.List());
  for (const rm::CheckpointTensor& tensor : summary.tensors) {
    RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, reader.Read(tensor.name));
    summary.bytes +=
        tensor.stored_bytes > 0 ? tensor.stored_bytes : static_cast<int64_t>(value.bytes());
    if (tensor.name != "global_step" || value.num_elements() != 1) continue;
    if (value.dtype() == rm::kInt64) summary.step = value.scalar<int64_t>();
    if (value.dtype() == rm::kInt32) summary.step = value.scalar<int32_t>();
  }
  return summary;
}

}  // namespace

rm::StatusOr<CheckpointSummary> VerifyCheckpoint(const std::string& prefix) {
  RAMET_ASSIGN_OR_RETURN(auto reader, rm::CheckpointReader::Open(prefix));
  for (int attempt = 1;; ++attempt) {
    auto summary = ReadOnce(reader);
    const rm::BundleReader* bundle = reader.bundle();
    const bool torn = summary.ok() && bundle != nullptr && bundle->HasDataNewerThanIndex();
    if ((summary.ok() && !torn) || bundle == nullptr) return summary;
    RAMET_ASSIGN_OR_RETURN(auto newer, rm::CheckpointReader::Open(prefix));
    const bool replaced =
        newer.bundle() == nullptr || newer.bundle()->index_identity() != bundle->index_identity();
    if (!replaced || attempt == kAttempts) return summary;
    reader = std::move(newer);
  }
}

}  // namespace cli
