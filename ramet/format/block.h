#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A Block is one block of a sorted table: entries in strictly ascending order of their keys, each
// key stored as what it shares with the one before and the rest (docs/formats/checkpoint-v2.md).
// The whole block is checked when it is made, so that walking it cannot fail. Immutable.
class Block {
 public:
  // A Cursor stands at one entry, or behind the last one. The block must stay where it is. key()
  // and value() are valid until the cursor moves. One thread at a time; a block may have many
  // cursors.
  class Cursor {
   public:
    Cursor() = default;
    // At the first entry.
    explicit Cursor(const Block* block) : block_(block) { Restart(0); }
    bool valid() const { return valid_; }
    std::string_view key() const { return key_; }
    std::string_view value() const { return value_; }
    // Needs valid().
    void Next() { ReadEntry(); }
    // To the first entry whose key is >= `key`.
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
  // `contents`: the block without its trailer, uncompressed.
  // \error kDataLoss "bad entry in block at byte N: what is wrong".
  static StatusOr<Block> Make(std::string contents);

  bool empty() const { return entries_end_ == 0; }
  // Of the last entry; "" of an empty block.
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
