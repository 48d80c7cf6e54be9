#include "ramet/replica/files/version_reader.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_map>

#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/checkpoint/object_based.h"
#include "ramet/format/bundle_reader.h"

namespace ramet::files {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kObjectGraph[] = "_CHECKPOINTABLE_OBJECT_GRAPH";
constexpr char kGlobalStep[] = "global_step";
// How long an overwrite in progress may take until it writes its index.
constexpr auto kOverwriteWait = std::chrono::milliseconds(1000);
constexpr auto kIndexPollInterval = std::chrono::milliseconds(2);

using ByName = std::unordered_map<std::string, BundleTensor>;

StatusOr<ByName> TensorsIn(BundleReader& reader) {
  RAMET_ASSIGN_OR_RETURN(std::vector<BundleTensor> list, reader.List());
  ByName tensors;
  for (BundleTensor& tensor : list) {
    std::string name = tensor.name;
    tensors.emplace(std::move(name), std::move(tensor));
  }
  return tensors;
}

bool IsOfFixedSize(const BundleTensor& tensor) {
  return DTypeSize(tensor.dtype) > 0 && TensorBytes(tensor.dtype, tensor.shape).ok();
}

void Add(std::string name, const BundleTensor& tensor, StoredVariables* variables) {
  variables->signature.push_back({std::move(name), tensor.dtype, tensor.shape});
  variables->requests.push_back({tensor.name, tensor.dtype, ""});
}

StatusOr<StoredVariables> BySignature(const ByName& tensors, const FoundVersion& found) {
  StoredVariables variables;
  variables.signature = found.own->signature;
  for (const VariableSpec& spec : variables.signature) {
    const auto stored = tensors.find(spec.name);
    if (stored == tensors.end() || stored->second.dtype != spec.dtype ||
        !(stored->second.shape == spec.shape)) {
      return DataLoss(found.path, ": the checkpoint has no '", spec.name,
                      "' with the dtype and shape in its version file");
    }
    variables.requests.push_back({spec.name, spec.dtype, ""});
  }
  return variables;
}

Status AddObjects(const ByName& tensors, const std::string& path, StoredVariables* variables) {
  RAMET_ASSIGN_OR_RETURN(const auto keys, ObjectGraphKeys(path));
  for (const auto& [name, key] : keys) {
    const auto stored = tensors.find(key);
    if (name.empty() || stored == tensors.end() || !IsOfFixedSize(stored->second)) continue;
    Add(name, stored->second, variables);
  }
  return OkStatus();
}

// Adds the parts of partitioned variables, which are stored under the name of the whole variable.
void AddParts(const ByName& tensors, std::span<const VariablePart> parts,
              StoredVariables* variables) {
  for (const VariablePart& part : parts) {
    const auto stored = tensors.find(part.full_name);
    if (stored == tensors.end() || tensors.contains(part.name)) continue;
    if (!IsOfFixedSize(stored->second) || !(stored->second.shape == part.full_shape)) continue;
    variables->signature.push_back({part.name, stored->second.dtype, part.shape});
    variables->requests.push_back({part.full_name, stored->second.dtype, part.shape_and_slice});
  }
}

std::vector<std::string> SortedNames(const ByName& tensors) {
  std::vector<std::string> names;
  for (const auto& entry : tensors) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

int64_t StepFrom(const Tensor& value) {
  if (value.num_elements() != 1) return -1;
  if (value.dtype() == DType::kInt64) return value.scalar<int64_t>();
  return value.dtype() == DType::kInt32 ? value.scalar<int32_t>() : -1;
}

StatusOr<int64_t> StepIn(BundleReader& reader, const std::string& named) {
  const auto number = NumberOf(named);
  const int64_t by_name = number ? static_cast<int64_t>(*number) : -1;
  const auto stored = reader.Find(kGlobalStep);
  if (IsNotFound(stored.status())) return by_name;
  RAMET_RETURN_IF_ERROR(stored.status());
  if (stored->dtype != DType::kInt64 && stored->dtype != DType::kInt32) return by_name;
  RAMET_ASSIGN_OR_RETURN(const Tensor value, reader.Read(kGlobalStep));
  const int64_t step = StepFrom(value);
  return step >= 0 ? step : by_name;
}

// Finds what a request reads and opens its data.
StatusOr<BundleRecord> FindStored(BundleReader& reader, const FoundVersion& found,
                                  const BundleRequest& request, const VariableSpec& spec) {
  auto stored = reader.FindRecord(request.name);
  if (IsNotFound(stored.status())) {
    return FailedPrecondition("version ", found.version, " (", found.path, ") has no '",
                              request.name, "'");
  }
  RAMET_RETURN_IF_ERROR(stored.status());
  const bool same_shape = !request.shape_and_slice.empty() || stored->shape() == spec.shape;
  if (stored->dtype() != spec.dtype || !same_shape) {
    return FailedPrecondition("version ", found.version, " (", found.path, ") has '", spec.name,
                              "' as ", DTypeName(stored->dtype()), stored->shape(), ", not as ",
                              DTypeName(spec.dtype), spec.shape);
  }
  RAMET_RETURN_IF_ERROR(reader.OpenDataOf(*stored));
  return stored;
}

StatusOr<Tensor> ReadOne(BundleReader& reader, const BundleRecord& record,
                         const BundleRequest& request) {
  if (request.shape_and_slice.empty()) return reader.Read(record);
  RAMET_ASSIGN_OR_RETURN(const ShapeAndSlice spec, ParseShapeAndSlice(request.shape_and_slice));
  return reader.ReadSlice(record, spec.slice);
}

StatusOr<VersionValues> ReadAll(BundleReader& reader, const FoundVersion& found,
                                const StoredVariables& variables) {
  VersionValues read;
  std::vector<BundleRecord> records;
  for (size_t i = 0; i < variables.requests.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(BundleRecord record, FindStored(reader, found, variables.requests[i],
                                                           variables.signature[i]));
    records.push_back(std::move(record));
  }
  for (size_t i = 0; i < records.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, ReadOne(reader, records[i], variables.requests[i]));
    read.values.push_back(std::move(value));
  }
  read.step = found.own ? found.own->info.id.step : -1;
  if (read.step < 0) {
    RAMET_ASSIGN_OR_RETURN(read.step, StepIn(reader, found.own ? "" : found.path));
  }
  return read;
}

Status Gone(const FoundVersion& found) {
  return NotFound("version ", found.version, " (", found.path, ") is not kept");
}

// Reports whether the index of `found` is replaced within the time that an overwrite may take.
bool IsReplacedSoon(const FoundVersion& found, const IndexFingerprint& before) {
  const auto deadline = Clock::now() + kOverwriteWait;
  while (Clock::now() < deadline) {
    const auto now = FingerprintOf(found.path);
    if (!now.ok() || !(*now == before)) return true;
    std::this_thread::sleep_for(kIndexPollInterval);
  }
  return false;
}

// Reports whether the index is so recent that newer data files may have the same time of
// modification. These times may have a resolution of some milliseconds.
bool IsRecent(const FileIdentity& index) {
  return WallClockNanos() - index.mtime_ns < std::chrono::nanoseconds(kOverwriteWait).count();
}

bool MayComeFromAnOverwrite(const Status& status) {
  return IsNotFound(status) || IsDataLoss(status) || IsOutOfRange(status);
}

}  // namespace

StatusOr<StoredVariables> VariablesOf(const FoundVersion& found,
                                      std::span<const VariablePart> parts) {
  RAMET_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open(found.path));
  RAMET_ASSIGN_OR_RETURN(const ByName tensors, TensorsIn(reader));
  if (found.own && !found.own->signature.empty()) return BySignature(tensors, found);
  StoredVariables variables;
  if (tensors.contains(kObjectGraph)) {
    RAMET_RETURN_IF_ERROR(AddObjects(tensors, found.path, &variables));
  } else {
    for (const std::string& name : SortedNames(tensors)) {
      if (const BundleTensor& tensor = tensors.at(name); IsOfFixedSize(tensor)) {
        Add(name, tensor, &variables);
      }
    }
    AddParts(tensors, parts, &variables);
  }
  if (!variables.signature.empty()) return variables;
  return FailedPrecondition(found.path, ": the checkpoint holds no variables that can be followed");
}

StatusOr<VersionValues> ReadVersion(const FoundVersion& found, const StoredVariables& variables) {
  const auto before = FingerprintOf(found.path);
  if (!before.ok() || !before->SameBytes(found.index)) return Gone(found);
  auto reader = BundleReader::Open(found.path);
  StatusOr<VersionValues> read = reader.ok() ? ReadAll(*reader, found, variables) : reader.status();
  const auto after = FingerprintOf(found.path);
  if (!after.ok() || !(*after == *before)) return Gone(found);
  if (reader.ok() && !(reader->index_identity() == before->identity)) return Gone(found);
  if (read.ok() || !MayComeFromAnOverwrite(read.status())) return read;
  const bool is_overwritten = reader.ok() && reader->HasDataNewerThanIndex();
  const bool may_be = is_overwritten || IsRecent(before->identity);
  if (may_be && IsReplacedSoon(found, *before)) return Gone(found);
  return DataLoss("version ", found.version, " is damaged: ", read.status().message());
}

int64_t StepOf(const std::string& prefix, const std::string& named) {
  auto reader = BundleReader::Open(prefix);
  if (!reader.ok()) return -1;
  return StepIn(*reader, named).value_or(-1);
}

}  // namespace ramet::files
