#include "ramet/format/block.h"

#include <algorithm>

#include "ramet/base/coding.h"

namespace ramet {
namespace {

struct Entry {
  uint32_t shared = 0;
  std::string_view unshared;
  std::string_view value;
};

bool TakeEntry(std::string_view* bytes, Entry* entry) {
  uint32_t unshared, value;
  if (!TakeVarint32(bytes, &entry->shared) || !TakeVarint32(bytes, &unshared) ||
      !TakeVarint32(bytes, &value) || uint64_t{unshared} + value > bytes->size()) {
    return false;
  }
  entry->unshared = bytes->substr(0, unshared);
  entry->value = bytes->substr(unshared, value);
  bytes->remove_prefix(size_t{unshared} + value);
  return true;
}

Status BadEntry(size_t offset, std::string_view what) {
  return DataLoss("bad entry in block at byte ", offset, ": ", what);
}

}  // namespace

StatusOr<Block> Block::Make(std::string contents) {
  Block block;
  block.contents_ = std::move(contents);
  RAMET_RETURN_IF_ERROR(block.CheckRestarts());
  RAMET_RETURN_IF_ERROR(block.CheckEntries());
  return block;
}

uint32_t Block::RestartOffset(uint32_t i) const {
  return DecodeFixed32(contents_.data() + entries_end_ + 4 * size_t{i});
}

Status Block::CheckRestarts() {
  const size_t size = contents_.size();
  if (size < 8 || size > UINT32_MAX) return BadEntry(0, StrCat("a block of ", size, " bytes"));
  num_restarts_ = DecodeFixed32(contents_.data() + size - 4);
  if (num_restarts_ == 0 || num_restarts_ > size / 4 - 1) {
    return BadEntry(size - 4, StrCat(num_restarts_, " restarts in a block of ", size, " bytes"));
  }
  entries_end_ = size - 4 - 4 * size_t{num_restarts_};
  if (RestartOffset(0) != 0) return BadEntry(entries_end_, "the first restart is not at 0");
  return OkStatus();
}

// Linear in the block's size although keys share prefixes: a key is compared with the previous one
// from the first byte that is not shared, and the buffer is truncated and extended.
Status Block::CheckEntries() {
  std::string_view rest = std::string_view(contents_).substr(0, entries_end_);
  uint32_t restarts = 0;
  while (!rest.empty()) {
    const size_t offset = entries_end_ - rest.size();
    const bool at_restart = restarts < num_restarts_ && RestartOffset(restarts) == offset;
    if (at_restart) ++restarts;
    Entry entry;
    if (!TakeEntry(&rest, &entry)) return BadEntry(offset, "lengths that do not fit the block");
    if (entry.shared > last_key_.size() || (at_restart && entry.shared != 0)) {
      return BadEntry(offset, "it shares more bytes than the previous key has");
    }
    if (offset > 0 && entry.unshared <= std::string_view(last_key_).substr(entry.shared)) {
      return BadEntry(offset, "keys are not in ascending order");
    }
    last_key_.resize(entry.shared);
    last_key_ += entry.unshared;
  }
  const bool bare = entries_end_ == 0 && num_restarts_ == 1;
  if (restarts == num_restarts_ || bare) return OkStatus();
  return BadEntry(entries_end_, "a restart is not at an entry");
}

void Block::Cursor::Restart(uint32_t i) {
  key_.clear();
  next_ = block_->RestartOffset(i);
  ReadEntry();
}

void Block::Cursor::ReadEntry() {
  std::string_view rest =
      std::string_view(block_->contents_).substr(0, block_->entries_end_).substr(next_);
  Entry entry;
  valid_ = !rest.empty() && TakeEntry(&rest, &entry);
  if (!valid_) return;
  key_.resize(entry.shared);
  key_ += entry.unshared;
  value_ = entry.value;
  next_ = block_->entries_end_ - rest.size();
}

std::string_view Block::Cursor::KeyAtRestart(uint32_t i) const {
  std::string_view rest = std::string_view(block_->contents_).substr(block_->RestartOffset(i));
  Entry entry;
  TakeEntry(&rest, &entry);
  return entry.unshared;
}

void Block::Cursor::Seek(std::string_view key) {
  if (block_->empty()) return;
  // Finds the last restart whose key is < `key`. The entry is after it and not after the next one.
  uint32_t low = 0, high = block_->num_restarts_ - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (KeyAtRestart(middle) < key) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  for (Restart(low); valid_ && key_ < key;) ReadEntry();
}

}  // namespace ramet
