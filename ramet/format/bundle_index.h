#pragma once

#include <string>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/table_reader.h"

namespace ramet {

// A BundleIndex is an open P.index file: a header and a cursor over the records of tensors and
// stored slices, in the order of their keys. One thread at a time.
class BundleIndex {
 public:
  // The cursor is at the first record behind the header.
  // \error kNotFound if there is no PREFIX.index; kDataLoss "Unable to read file (PREFIX.index).
  // ..." if
  //   it is damaged or has no header; kInvalidArgument if it was written for newer readers.
  static StatusOr<BundleIndex> Open(const std::string& prefix);

  const BundleHeader& header() const { return header_; }
  const RandomAccessFile& file() const { return table_.file(); }

  // The record of a tensor's name or of a slice's key.
  // \error kNotFound "Key KEY not found in checkpoint"; kDataLoss if the record or a block is
  // damaged.
  StatusOr<BundleEntry> Find(std::string_view key);

  // The cursor; key() is valid until it moves. \error kDataLoss if a block is damaged.
  Status SeekToFirst();
  bool valid() const { return table_.valid(); }
  std::string_view key() const { return table_.key(); }
  Status Next();
  // \error kDataLoss if the record is damaged.
  StatusOr<BundleEntry> Entry() const;

 private:
  explicit BundleIndex(TableReader table) : table_(std::move(table)) {}
  Status Damaged(const Status& status) const;
  TableReader table_;
  BundleHeader header_;
};

}  // namespace ramet
