#include "ramet/format/bundle_merge.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ramet/base/pinned_folder.h"
#include "ramet/base/retry.h"
#include "ramet/format/bundle_commit.h"
#include "ramet/format/bundle_files.h"
#include "ramet/format/bundle_index.h"

namespace ramet {
namespace {

// The combination of the bundles read so far.
struct Merged {
  std::optional<BundleHeader> header;
  std::map<std::string, BundleEntry> entries;
  // Paths of data files, in the order in which their entries first appeared.
  std::vector<std::string> data_files;
};

bool SameFormat(const BundleHeader& a, const BundleHeader& b) {
  return a.big_endian == b.big_endian && a.producer == b.producer &&
         a.min_consumer == b.min_consumer && a.bad_consumers == b.bad_consumers;
}

Status AddSlices(const std::string& prefix, const std::string& key, BundleEntry entry,
                 BundleEntry* existing) {
  if (existing->slices.empty() && entry.slices.empty()) {
    return InvalidArgument("Duplicate tensor keyed by ", PrintableBundleKey(key),
                           " encountered, when merging prefix: ", prefix);
  }
  if (existing->slices.empty() || entry.slices.empty()) {
    return Internal("key ", PrintableBundleKey(key), ", when merging prefix ", prefix,
                    ": attempting to merge in a non-slice bundle entry");
  }
  if (existing->dtype != entry.dtype || existing->shape != entry.shape) {
    return InvalidArgument("key ", key, ", when merging prefix ", prefix, ": its slices are of a ",
                           DTypeName(entry.dtype), entry.shape, ", earlier ones of a ",
                           DTypeName(existing->dtype), existing->shape);
  }
  std::ranges::move(entry.slices, std::back_inserter(existing->slices));
  return OkStatus();
}

// Assigns the shards of one bundle their positions in the merged one.
class ShardMap {
 public:
  ShardMap(std::string prefix, int num_shards, std::vector<std::string>* data_files)
      : prefix_(std::move(prefix)), num_shards_(num_shards), data_files_(data_files) {}

  int Position(int shard) {
    auto [it, is_new] = positions_.emplace(shard, static_cast<int>(data_files_->size()));
    if (is_new) data_files_->push_back(BundleDataPath(prefix_, shard, num_shards_));
    return it->second;
  }
  // Returns the position of a shard with data, otherwise 0, as TensorFlow records it for a tensor
  // in slices.
  int PositionIfKnown(int shard) const {
    auto it = positions_.find(shard);
    return it == positions_.end() ? 0 : it->second;
  }

 private:
  std::string prefix_;
  int num_shards_;
  std::vector<std::string>* data_files_;
  std::map<int, int> positions_;
};

Status MergeOne(const std::string& prefix, BundleIndex* index, Merged* merged) {
  const BundleHeader& header = index->header();
  if (!merged->header) merged->header = header;
  if (!SameFormat(*merged->header, header)) {
    return InvalidArgument("Merging bundles with conflicting endianness or version: prefix ",
                           prefix, " does not match the previous ones");
  }
  ShardMap shards(prefix, header.num_shards, &merged->data_files);
  for (Status status = index->SeekToFirst();; status = index->Next()) {
    RAMET_RETURN_IF_ERROR(status);
    if (!index->valid()) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(BundleEntry entry, index->Entry());
    entry.shard =
        entry.slices.empty() ? shards.Position(entry.shard) : shards.PositionIfKnown(entry.shard);
    const std::string key(index->key());
    auto [it, is_new] = merged->entries.emplace(key, entry);
    if (!is_new) RAMET_RETURN_IF_ERROR(AddSlices(prefix, key, std::move(entry), &it->second));
  }
}

// The data may have been written by a program that does not sync.
Status SyncFile(const std::string& path) {
  FileDescriptor fd(
      RetryInterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (fd.get() < 0 || RetryInterrupted([&] { return ::fsync(fd.get()); }) != 0)
    return ErrnoStatus(errno, path);
  return OkStatus();
}

void RemoveMerged(std::span<const std::string> prefixes, const std::string& destination,
                  bool delete_folders) {
  std::set<std::string> folders;
  for (const std::string& prefix : prefixes) {
    RemoveFile(BundleIndexPath(prefix)).IgnoreError();
    StatusOr<BundleFiles> rest = FindBundleFiles(prefix);
    if (!rest.ok()) continue;
    for (const BundleDataFile& file : rest->data) RemoveFile(file.path).IgnoreError();
    folders.insert(std::string(Dirname(prefix)));
  }
  if (!delete_folders) return;
  for (const std::string& folder : folders) {
    if (folder != Dirname(destination) && !folder.empty()) RemoveDir(folder).IgnoreError();
  }
}

}  // namespace

Status MergeBundles(std::span<const std::string> prefixes, const std::string& destination,
                    const MergeOptions& options) {
  Merged merged;
  std::vector<std::string> found;
  for (const std::string& prefix : prefixes) {
    if (prefix == destination || std::ranges::count(found, prefix) > 0) {
      return InvalidArgument(
          "cannot merge ", prefix, " into ", destination,
          ": each bundle can be given only once, and the destination must be different");
    }
    StatusOr<BundleIndex> index = BundleIndex::Open(prefix);
    if (IsNotFound(index.status()) && options.allow_missing_files) continue;
    RAMET_RETURN_IF_ERROR(index.status());
    RAMET_RETURN_IF_ERROR(MergeOne(prefix, &*index, &merged));
    found.push_back(prefix);
  }
  if (!merged.header) {
    return prefixes.empty()
               ? InvalidArgument("at least one checkpoint prefix is required to create ",
                                 destination)
               : NotFound("none of the ", prefixes.size(), " bundles to merge into ", destination,
                          " exists; the first is ", prefixes[0]);
  }
  for (const std::string& path : merged.data_files) RAMET_RETURN_IF_ERROR(SyncFile(path));
  RAMET_RETURN_IF_ERROR(MakeFolderOf(destination));
  const PinnedFolder folder(destination);
  RAMET_RETURN_IF_ERROR(folder.Original(
      CommitBundle(folder.Pin(destination), merged.data_files, merged.entries, *merged.header)));
  RemoveMerged(found, destination, options.delete_old_dirs);
  return OkStatus();
}

}  // namespace ramet
