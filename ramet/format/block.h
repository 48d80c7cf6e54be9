#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A Block is one block of a sorted table. Its entries are in strictly ascending order of keys, and
// each key is stored as the length it shares with the previous key and the rest
// (docs/formats/checkpoint-v2.md). The whole block is checked on creation, so that iterating cannot
// fail. Immutable.
class Block {
 public:
  // A Cursor is positioned at an entry or past the last one. The block must not move. key() and
  // value() are valid until the cursor moves. Not thread-safe; a block may have many cursors.
  class Cursor {
   public:
    Cursor() = default;
    // Starts at the first entry.
    explicit Cursor(const Block* block) : block_(block) { Restart(0); }
    bool valid() const { return valid_; }
    std::string_view key() const { return key_; }
    std::string_view value() const { return value_; }
    // Moves to the next entry. Requires valid().
    void Next() { ReadEntry(); }
    // Moves to the first entry whose key is >= `key`.
    void Seek(std::string_view key);

   private:
    void Restart(uint32_t i);
    void ReadEntry();
    std::string_view KeyAtRestart(uint32_t i) const;
    const Block* block_ = nullptr;
    size_t next_ = 0;
    std::string key_;
    std::string_view value_;
    bool valid_ = false;
  };

  Block() = default;
  // Makes a block from its uncompressed contents without the trailer.
  // \error kDataLoss: "bad entry in block at byte N: REASON".
  static StatusOr<Block> Make(std::string contents);

  bool empty() const { return entries_end_ == 0; }
  size_t bytes() const { return contents_.size(); }
  // Returns the key of the last entry; "" for an empty block.
  const std::string& last_key() const { return last_key_; }

 private:
  uint32_t RestartOffset(uint32_t i) const;
  Status CheckEntries();
  Status CheckRestarts();
  std::string contents_;
  size_t entries_end_ = 0;
  uint32_t num_restarts_ = 0;
  std::string last_key_;
};

}  // namespace ramet
