#include "ramet/format/table_reader.h"

#include <snappy-c.h>

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"

namespace ramet {
namespace {

// A snappy copy of 64 bytes takes at least 3 bytes.
constexpr size_t kMaxSnappyRatio = 22;

StatusOr<std::string> Uncompress(std::string_view block, uint64_t offset) {
  size_t size = 0;
  if (snappy_uncompressed_length(block.data(), block.size(), &size) != SNAPPY_OK ||
      size > kMaxSnappyRatio * block.size() + 64) {
    return DataLoss("corrupted compressed block contents at offset ", offset);
  }
  std::string contents(size, '\0');
  if (snappy_uncompress(block.data(), block.size(), contents.data(), &size) != SNAPPY_OK) {
    return DataLoss("corrupted compressed block contents at offset ", offset);
  }
  return contents;
}

}  // namespace

StatusOr<TableReader> TableReader::Open(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(TableReader reader, OpenUnpositioned(path));
  RAMET_RETURN_IF_ERROR(reader.SeekToFirst());
  return reader;
}

StatusOr<TableReader> TableReader::OpenUnpositioned(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path));
  TableReader reader(std::move(file));
  RAMET_ASSIGN_OR_RETURN(const Footer footer, reader.ReadFooter());
  RAMET_ASSIGN_OR_RETURN(reader.index_, reader.ReadBlock(footer.index));
  return reader;
}

StatusOr<Footer> TableReader::ReadFooter() const {
  if (file_.size() < Footer::kBytes) {
    return DataLoss("file is too short to be an sstable (", file_.size(), " bytes)");
  }
  const uint64_t at = file_.size() - Footer::kBytes;
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, file_.Read(at, Footer::kBytes));
  return Footer::Decode(bytes, at);
}

StatusOr<std::unique_ptr<Block>> TableReader::ReadBlock(const BlockHandle& handle) const {
  const auto [offset, size] = handle;
  const uint64_t end = file_.size() - Footer::kBytes;
  if (end < kBlockTrailerBytes || size > end - kBlockTrailerBytes ||
      offset > end - kBlockTrailerBytes - size) {
    return DataLoss("truncated block read: a block of ", size, " bytes at offset ", offset,
                    " exceeds the file's size of ", file_.size());
  }
  RAMET_ASSIGN_OR_RETURN(std::string bytes, file_.Read(offset, size + kBlockTrailerBytes));
  const uint32_t stored = crc32c::Unmask(DecodeFixed32(bytes.data() + size + 1));
  if (crc32c::Value(bytes.data(), size + 1) != stored) {
    return DataLoss("block checksum mismatch (block of ", size, " bytes at offset ", offset, ")");
  }
  const uint8_t type = static_cast<uint8_t>(bytes[size]);
  bytes.resize(size);
  if (type == kSnappyBlock) {
    RAMET_ASSIGN_OR_RETURN(bytes, Uncompress(bytes, offset));
  } else if (type != kPlainBlock) {
    return DataLoss("bad block type ", type, " (block at offset ", offset, ")");
  }
  StatusOr<Block> block = Block::Make(std::move(bytes));
  if (!block.ok()) return block.status().WithSuffix(StrCat(" (block at offset ", offset, ")"));
  return std::make_unique<Block>(*std::move(block));
}

// Moves data_cursor_ to the first entry of the block that index_cursor_ names.
Status TableReader::LoadDataBlock() {
  BlockHandle handle;
  std::string_view bytes = index_cursor_.value();
  if (!handle.TakeFrom(&bytes) || !bytes.empty()) return DataLoss("bad block handle");
  if (!data_ || data_handle_ != handle) {
    ReleaseBlock();
    RAMET_ASSIGN_OR_RETURN(std::unique_ptr<Block> block, ReadBlock(handle));
    if (block->last_key() > index_cursor_.key()) {
      return DataLoss("bad entry in block: a key is greater than the block's key in the index");
    }
    data_ = std::move(block);
    data_handle_ = handle;
  }
  data_cursor_ = Block::Cursor(data_.get());
  return OkStatus();
}

Status TableReader::SkipExhaustedBlocks() {
  while (!data_cursor_.valid() && index_cursor_.valid()) {
    const std::string last_key = data_ ? data_->last_key() : std::string();
    const bool was_empty = !data_ || data_->empty();
    index_cursor_.Next();
    if (!index_cursor_.valid()) break;
    RAMET_RETURN_IF_ERROR(LoadDataBlock());
    if (!was_empty && data_cursor_.valid() && data_cursor_.key() <= last_key) {
      data_cursor_ = Block::Cursor();
      return DataLoss("bad entry in block: keys are not in ascending order from block to block");
    }
  }
  return OkStatus();
}

Status TableReader::SeekToFirst() {
  index_cursor_ = Block::Cursor(index_.get());
  data_cursor_ = Block::Cursor();
  if (!index_cursor_.valid()) return OkStatus();
  RAMET_RETURN_IF_ERROR(LoadDataBlock());
  return SkipExhaustedBlocks();
}

Status TableReader::Seek(std::string_view key) {
  index_cursor_ = Block::Cursor(index_.get());
  index_cursor_.Seek(key);
  data_cursor_ = Block::Cursor();
  if (!index_cursor_.valid()) return OkStatus();
  RAMET_RETURN_IF_ERROR(LoadDataBlock());
  data_cursor_.Seek(key);
  return SkipExhaustedBlocks();
}

void TableReader::ReleaseBlock() {
  data_cursor_ = Block::Cursor();
  data_.reset();
}

Status TableReader::Next() {
  data_cursor_.Next();
  return SkipExhaustedBlocks();
}

}  // namespace ramet
