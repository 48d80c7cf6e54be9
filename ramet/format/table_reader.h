#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/format/block.h"
#include "ramet/format/table_format.h"

namespace ramet {

// A TableReader iterates over a sorted table file, the .index of a checkpoint. It is a cursor over
// entries in key order and holds one block at a time. Supports uncompressed and snappy blocks. The
// file is untrusted: the location, size, checksum, compression and entries of a block are checked
// before use, and allocations are bounded by a small multiple of the file's size. Not thread-safe.
class TableReader {
 public:
  // Reads the footer and the index block. The cursor is at the first entry.
  // \error kDataLoss: "file is too short to be an sstable", "not an sstable (bad magic number)",
  //   "block checksum mismatch", "truncated block read", "bad block type", "bad entry in block" or
  //   "bad block handle", each with the offset in the file.
  // \error any error of opening or reading.
  static StatusOr<TableReader> Open(const std::string& path);
  // Like Open, but reads no data block. The cursor is invalid until a Seek.
  // \error as Open.
  static StatusOr<TableReader> OpenUnpositioned(const std::string& path);

  const RandomAccessFile& file() const { return file_; }

  // Reports whether the cursor is at an entry, and not past the last one.
  bool valid() const { return data_cursor_.valid(); }
  // Return the current entry. Valid until the cursor moves.
  std::string_view key() const { return data_cursor_.key(); }
  std::string_view value() const { return data_cursor_.value(); }
  // Moves to the first entry. After an error the cursor is invalid until the next Seek.
  // \error as Open.
  Status SeekToFirst();
  // Moves to the first entry whose key is >= `key`. Errors as SeekToFirst.
  Status Seek(std::string_view key);
  // Moves to the next entry. Requires valid(). Errors as SeekToFirst.
  Status Next();
  // Returns the size of the block that the cursor is in; 0 if the cursor is invalid.
  size_t block_bytes() const { return data_ ? data_->bytes() : 0; }
  // Frees the memory of the block. The cursor is invalid until the next Seek.
  void ReleaseBlock();

 private:
  explicit TableReader(RandomAccessFile file) : file_(std::move(file)) {}
  StatusOr<Footer> ReadFooter() const;
  StatusOr<std::unique_ptr<Block>> ReadBlock(const BlockHandle& handle) const;
  Status LoadDataBlock();
  Status SkipExhaustedBlocks();

  RandomAccessFile file_;
  std::unique_ptr<Block> index_;
  Block::Cursor index_cursor_;
  // The block that was read last, if any, and the handle that it was read from.
  std::unique_ptr<Block> data_;
  BlockHandle data_handle_;
  Block::Cursor data_cursor_;
};

}  // namespace ramet
