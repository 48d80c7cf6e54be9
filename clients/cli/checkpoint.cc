#include "checkpoint.h"

#include <filesystem>

namespace cli {
namespace {

namespace rm = ramet;

constexpr int kAttempts = 20;

void TakeStep(const rm::Tensor& value, CheckpointSummary* summary) {
  if (value.num_elements() != 1) return;
  if (value.dtype() == rm::kInt64) summary->step = value.scalar<int64_t>();
  if (value.dtype() == rm::kInt32) summary->step = value.scalar<int32_t>();
}

rm::StatusOr<CheckpointSummary> ReadOnce(TensorSource& source, bool verify) {
  CheckpointSummary summary;
  summary.format = source.format();
  summary.verified = verify;
  RAMET_ASSIGN_OR_RETURN(summary.tensors, source.List());
  LongWork work("reading", static_cast<int64_t>(summary.tensors.size()));
  int64_t done = 0;
  for (TensorInfo& tensor : summary.tensors) {
    const bool step = tensor.name == "global_step" && tensor.shape.num_elements() == 1;
    if (verify || step) work.Update(done++, tensor.name);
    if (step) {
      RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, source.Read(tensor.name));
      TakeStep(value, &summary);
    } else if (verify) {
      RAMET_RETURN_IF_ERROR(source.Verify(tensor.name));
    }
    summary.bytes += tensor.bytes;
  }
  return summary;
}

}  // namespace

rm::StatusOr<CheckpointSummary> VerifyCheckpoint(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(auto source, OpenTensors(path));
  for (int attempt = 1;; ++attempt) {
    auto summary = ReadOnce(*source, true);
    const rm::BundleReader* bundle = source->bundle();
    const bool torn = summary.ok() && bundle != nullptr && bundle->HasDataNewerThanIndex();
    if ((summary.ok() && !torn) || bundle == nullptr) return summary;
    RAMET_ASSIGN_OR_RETURN(auto newer, OpenTensors(path));
    const bool replaced =
        newer->bundle() == nullptr || newer->bundle()->index_identity() != bundle->index_identity();
    if (!replaced || attempt == kAttempts) return summary;
    source = std::move(newer);
  }
}

std::string WaitingFor(const std::string& folder) {
  std::error_code ignored;
  return rm::StrCat("waiting for a checkpoint in folder '", folder, "': ",
                    std::filesystem::is_directory(folder, ignored) ? "it has none yet"
                                                                   : "the folder does not exist");
}

int64_t NumberOf(const std::string& prefix) {
  const size_t dash = prefix.rfind('-');
  int64_t number = -1;
  const bool has_number = dash != prefix.npos && rm::ParseInt64(prefix.substr(dash + 1), &number);
  return has_number ? number : -1;
}

rm::StatusOr<CheckpointSummary> ListCheckpoint(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(auto source, OpenTensors(path));
  return ReadOnce(*source, false);
}

}  // namespace cli
