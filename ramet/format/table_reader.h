#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/status.h"
#include "ramet/format/block.h"

namespace ramet {

// A TableReader walks a sorted table file: the .index of a checkpoint. It is a cursor over entries
// in ascending order of their keys, and holds one block at a time. Compression none and snappy. All
// of the file is untrusted: a block's place, size, checksum, compression and entries are checked
// before it is used, and no more memory is taken than a small multiple of what the file holds. One
// thread at a time.
class TableReader {
 public:
  // Reads footer and index block; the cursor is at the first entry.
  // \error kDataLoss "file is too short to be an sstable", "not an sstable (bad magic number)",
  // "block
  //   checksum mismatch", "truncated block read", "bad block type", "bad entry in block" or "bad
  //   block handle", each with the offset in the file; those of opening and reading.
  static StatusOr<TableReader> Open(const std::string& path);
  // Reads no data block; the cursor is nowhere until a Seek. \error as Open.
  static StatusOr<TableReader> OpenUnpositioned(const std::string& path);

  const RandomAccessFile& file() const { return file_; }

  // Whether the cursor is at an entry (false: behind the last one).
  bool valid() const { return data_cursor_.valid(); }
  // Valid until the cursor moves.
  std::string_view key() const { return data_cursor_.key(); }
  std::string_view value() const { return data_cursor_.value(); }
  // All \error as Open. After an error the cursor is nowhere until the next Seek.
  Status SeekToFirst();
  // To the first entry whose key is >= `key`.
  Status Seek(std::string_view key);
  // To the next entry. Needs valid().
  Status Next();
  // Lets the memory of the block go. The cursor is nowhere until the next Seek.
  void ReleaseBlock();

 private:
  explicit TableReader(RandomAccessFile file) : file_(std::move(file)) {}
  Status ReadFooter(std::string_view* index_handle, std::string* footer);
  StatusOr<std::unique_ptr<Block>> ReadBlock(std::string_view handle) const;
  Status LoadDataBlock();
  Status SkipExhaustedBlocks();

  RandomAccessFile file_;
  std::unique_ptr<Block> index_;
  Block::Cursor index_cursor_;
  // The block that was read last, if any, and the handle that it was read from.
  std::unique_ptr<Block> data_;
  std::string data_handle_;
  Block::Cursor data_cursor_;
};

}  // namespace ramet
