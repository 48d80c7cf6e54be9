#include "ramet/format/checkpoint_copy.h"

#include <utility>
#include <vector>

#include "ramet/format/bundle_writer.h"
#include "ramet/format/v1_writer.h"

namespace ramet {
namespace {

// A tensor, or one of its stored slices.
struct Part {
  const CheckpointTensor* tensor;
  std::string name;
  TensorSlice slice;
};

std::vector<Part> PartsOf(const CheckpointTensor& tensor, const std::string& name) {
  if (tensor.slices.empty()) return {{&tensor, name, TensorSlice::Whole(tensor.shape.rank())}};
  std::vector<Part> parts;
  for (const TensorSlice& slice : tensor.slices) parts.push_back({&tensor, name, slice});
  return parts;
}

std::vector<Part> PartsToCopy(const std::vector<CheckpointTensor>& tensors,
                              const CopyCheckpointOptions& options) {
  std::vector<Part> parts;
  for (const CheckpointTensor& tensor : tensors) {
    const std::string name = options.rename ? options.rename(tensor) : tensor.name;
    if (options.rename && name.empty()) continue;
    for (Part& part : PartsOf(tensor, name)) parts.push_back(std::move(part));
  }
  return parts;
}

Status CopyPart(CheckpointReader& from, const Part& part, BundleWriter* writer) {
  const CheckpointTensor& tensor = *part.tensor;
  if (from.bundle() == nullptr || tensor.dtype == DType::kString) {
    RAMET_ASSIGN_OR_RETURN(const Tensor value, from.ReadSlice(tensor.name, part.slice));
    return writer->AddSlice(part.name, tensor.shape, part.slice, value);
  }
  return writer->AddPieces(
      part.name, tensor.dtype, tensor.shape, part.slice,
      [&](const auto& take) { return from.bundle()->ReadPieces(tensor.name, part.slice, take); });
}

// Calls on_tensor once per tensor.
class Announcer {
 public:
  explicit Announcer(const CopyCheckpointOptions& options) : on_tensor_(options.on_tensor) {}
  void operator()(const CheckpointTensor& tensor) {
    if (on_tensor_ && &tensor != last_) on_tensor_(tensor);
    last_ = &tensor;
  }

 private:
  const std::function<void(const CheckpointTensor&)>& on_tensor_;
  const CheckpointTensor* last_ = nullptr;
};

Status CopyToV2(CheckpointReader& from, const std::vector<Part>& parts, const std::string& to,
                Announcer announce) {
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(to));
  for (const Part& part : parts) {
    announce(*part.tensor);
    RAMET_RETURN_IF_ERROR(CopyPart(from, part, &writer));
  }
  return writer.Finish();
}

Status CopyToV1(CheckpointReader& from, const std::vector<Part>& parts, const std::string& to,
                Announcer announce) {
  V1Writer writer(to);
  for (const Part& part : parts) {
    const CheckpointTensor& tensor = *part.tensor;
    RAMET_RETURN_IF_ERROR(
        writer.AddSliceLater(part.name, tensor.dtype, tensor.shape, part.slice, [&] {
          announce(*part.tensor);
          return from.ReadSlice(part.tensor->name, part.slice);
        }));
  }
  return writer.Finish();
}

}  // namespace

Status CopyCheckpoint(CheckpointReader& from, const std::string& to,
                      const CopyCheckpointOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const std::vector<CheckpointTensor> tensors, from.List());
  const std::vector<Part> parts = PartsToCopy(tensors, options);
  return options.format == CheckpointFormat::kV2 ? CopyToV2(from, parts, to, Announcer(options))
                                                 : CopyToV1(from, parts, to, Announcer(options));
}

}  // namespace ramet
