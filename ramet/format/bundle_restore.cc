#include "ramet/format/bundle_restore.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <thread>

#include "ramet/format/bundle_format.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/tensor_slice.h"

namespace ramet {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// How often a read starts over because the index was replaced, and how long it waits in total for
// an overwrite in progress to write its index.
constexpr int kMaxRestarts = 20;
constexpr milliseconds kMaxWait(1000);
constexpr milliseconds kPollInterval(2);

std::vector<size_t> OrderByName(std::span<const BundleRequest> requests) {
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return requests[a].name < requests[b].name; });
  return order;
}

// A request, its index among the requests, and the record that it names.
struct FoundRequest {
  const BundleRequest* request;
  size_t index;
  BundleRecord record;
};

// Finds the records of all requests, sorted by name.
StatusOr<std::vector<FoundRequest>> FindAll(BundleReader& reader,
                                            std::span<const BundleRequest> requests) {
  std::vector<FoundRequest> found;
  found.reserve(requests.size());
  for (const size_t i : OrderByName(requests)) {
    RAMET_ASSIGN_OR_RETURN(BundleRecord record, reader.FindRecord(requests[i].name));
    found.push_back({&requests[i], i, std::move(record)});
  }
  return found;
}

Status CheckDTypes(std::span<const FoundRequest> found) {
  std::string mismatches;
  for (const auto& [request, index, record] : found) {
    if (request->dtype == DType::kInvalid || request->dtype == record.dtype()) continue;
    if (!mismatches.empty()) mismatches += '\n';
    mismatches +=
        StrCat("tensor_name = ", request->name, "; expected dtype ", DTypeName(request->dtype),
               " does not equal original dtype ", DTypeName(record.dtype()));
  }
  return mismatches.empty() ? OkStatus() : InvalidArgument(mismatches);
}

StatusOr<Tensor> ReadOne(BundleReader& reader, const FoundRequest& found, Allocator* allocator) {
  const BundleRequest& request = *found.request;
  if (request.shape_and_slice.empty()) return reader.Read(found.record, allocator);
  StatusOr<ShapeAndSlice> spec = ParseShapeAndSlice(request.shape_and_slice);
  if (!spec.ok()) return spec.status().WithContext(StrCat("tensor_name = ", request.name));
  if (spec->full_shape != found.record.shape()) {
    return InvalidArgument(
        "tensor_name = ", request.name, "; shape in shape_and_slice spec ", spec->full_shape,
        " does not match the shape stored in checkpoint: ", found.record.shape());
  }
  return reader.ReadSlice(found.record, spec->slice, allocator);
}

StatusOr<std::vector<Tensor>> ReadAll(BundleReader& reader, std::span<const BundleRequest> requests,
                                      Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const std::vector<FoundRequest> found, FindAll(reader, requests));
  RAMET_RETURN_IF_ERROR(CheckDTypes(found));
  for (const FoundRequest& f : found) RAMET_RETURN_IF_ERROR(reader.OpenDataOf(f.record));
  std::vector<Tensor> tensors(requests.size());
  for (const FoundRequest& f : found) {
    RAMET_ASSIGN_OR_RETURN(tensors[f.index], ReadOne(reader, f, allocator));
  }
  return tensors;
}

bool MayComeFromAnOverwrite(const Status& status) {
  return IsNotFound(status) || IsDataLoss(status) || IsOutOfRange(status);
}

// Decides whether a failed read starts over, and waits until it can.
class Retry {
 public:
  explicit Retry(std::string index_path) : index_path_(std::move(index_path)) {}

  // Called before an attempt.
  void Begin() {
    StatusOr<FileIdentity> identity = GetFileIdentity(index_path_);
    before_ = identity.ok() ? std::optional(*identity) : std::nullopt;
  }
  // Called after a failed attempt. `in_progress` means that the index is about to be replaced,
  // according to the files.
  bool Again(bool in_progress) {
    if (!before_ || ++restarts_ > kMaxRestarts) return false;
    if (IndexChanged()) return true;
    if (!in_progress) return false;
    const Clock::time_point start = Clock::now();
    bool changed = false;
    while (!changed && waited_ + (Clock::now() - start) < kMaxWait) {
      std::this_thread::sleep_for(kPollInterval);
      changed = IndexChanged();
    }
    waited_ += Clock::now() - start;
    return changed;
  }

 private:
  bool IndexChanged() const {
    StatusOr<FileIdentity> now = GetFileIdentity(index_path_);
    return now.ok() && *now != *before_;
  }
  std::string index_path_;
  std::optional<FileIdentity> before_;
  int restarts_ = 0;
  Clock::duration waited_{};
};

}  // namespace

StatusOr<std::vector<Tensor>> ReadBundle(const std::string& prefix,
                                         std::span<const BundleRequest> requests,
                                         Allocator* allocator) {
  for (Retry retry(BundleIndexPath(prefix));;) {
    retry.Begin();
    StatusOr<BundleReader> reader = BundleReader::Open(prefix);
    StatusOr<std::vector<Tensor>> tensors =
        reader.ok() ? ReadAll(*reader, requests, allocator) : reader.status();
    if (tensors.ok() || !MayComeFromAnOverwrite(tensors.status())) return tensors;
    if (!retry.Again(reader.ok() && reader->HasDataNewerThanIndex())) return tensors;
  }
}

}  // namespace ramet
