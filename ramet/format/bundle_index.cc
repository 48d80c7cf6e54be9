#include "ramet/format/bundle_index.h"

namespace ramet {
namespace {

Status Unreadable(const std::string& path, std::string_view where, const Status& status) {
  if (!IsDataLoss(status)) return status;
  return status.WithContext(
      StrCat("Unable to read file (", path,
             "). Perhaps the file is corrupt or was produced by a newer version of TensorFlow with "
             "format changes (",
             where, ")"));
}

}  // namespace

StatusOr<BundleIndex> BundleIndex::Open(const std::string& prefix) {
  const std::string path = BundleIndexPath(prefix);
  StatusOr<TableReader> table = TableReader::Open(path);
  if (IsNotFound(table.status())) {
    return NotFound(
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
        prefix, " (", table.status().message(), ")");
  }
  if (!table.ok()) return Unreadable(path, "failed to seek to header entry", table.status());
  BundleIndex index(*std::move(table));
  if (!index.valid() || !index.key().empty()) {
    return Unreadable(path, "failed to seek to header entry", DataLoss("there is no header entry"));
  }
  StatusOr<BundleHeader> header = DecodeBundleHeader(index.table_.value());
  if (IsInvalidArgument(header.status())) return header.status().WithContext(path);
  if (!header.ok()) return Unreadable(path, "unable to parse header", header.status());
  index.header_ = *std::move(header);
  RAMET_RETURN_IF_ERROR(index.Next());
  return index;
}

Status BundleIndex::Damaged(const Status& status) const {
  return IsDataLoss(status) ? status.WithContext(file().path()) : status;
}

StatusOr<BundleEntry> BundleIndex::Find(std::string_view key) {
  if (!key.empty()) RAMET_RETURN_IF_ERROR(Damaged(table_.Seek(key)));
  if (key.empty() || !valid() || this->key() != key) {
    return NotFound("Key ", PrintableBundleKey(key), " not found in checkpoint");
  }
  return Entry();
}

Status BundleIndex::SeekToFirst() {
  RAMET_RETURN_IF_ERROR(Damaged(table_.SeekToFirst()));
  return Next();
}

Status BundleIndex::Next() { return Damaged(table_.Next()); }

StatusOr<BundleEntry> BundleIndex::Entry() const {
  StatusOr<BundleEntry> entry = DecodeBundleEntry(key(), table_.value(), header_.num_shards);
  if (!entry.ok()) return Damaged(entry.status());
  return entry;
}

}  // namespace ramet
