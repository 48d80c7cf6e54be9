#pragma once

#include <string>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/table_reader.h"

namespace ramet {

// A BundleIndex is an open P.index file: a header and a cursor over the records of tensors and
// stored slices in key order. Not thread-safe.
class BundleIndex {
 public:
  // Opens the index. The cursor is at the first record after the header.
  // \error kNotFound: there is no PREFIX.index.
  // \error kDataLoss: "Unable to read file (PREFIX.index). ...", it is damaged or has no header.
  // \error kInvalidArgument: it was written for newer readers.
  static StatusOr<BundleIndex> Open(const std::string& prefix);

  const BundleHeader& header() const { return header_; }
  const RandomAccessFile& file() const { return table_.file(); }

  // Returns the record of a tensor name or slice key.
  // \error kNotFound: "Key KEY not found in checkpoint".
  // \error kDataLoss: the record or a block is damaged.
  StatusOr<BundleEntry> Find(std::string_view key);

  // Move the cursor. key() is valid until it moves.
  // \error kDataLoss: a block is damaged.
  Status SeekToFirst();
  bool valid() const { return table_.valid(); }
  std::string_view key() const { return table_.key(); }
  Status Next();
  // Returns the record at the cursor.
  // \error kDataLoss: the record is damaged.
  StatusOr<BundleEntry> Entry() const;

 private:
  explicit BundleIndex(TableReader table) : table_(std::move(table)) {}
  Status Damaged(const Status& status) const;
  TableReader table_;
  BundleHeader header_;
};

}  // namespace ramet
