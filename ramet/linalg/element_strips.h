#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ramet/linalg/element_sections.h"

// Internal to linalg.

namespace ramet::linalg {

// A value in a block: `rows` times `columns` elements, each 1 if it does not vary that way.
struct BlockValue {
  char* data;
  int64_t rows;
  int64_t columns;

  int64_t size() const { return rows * columns; }
};

// An ElementStrips runs the strips of a program on the blocks of one thread.
class ElementStrips {
 public:
  using Values = std::array<BlockValue, ElementProgram::kMaxValues>;

  // Returns the memory that a thread needs for blocks of that many bytes.
  static int64_t MemoryBytes(const ElementSections& sections, int64_t block_bytes);

  // The arguments must outlive this object. `memory` is aligned to 64. `scalar_of` returns the
  // element of a value that varies along no dimension.
  template <class ScalarOf>
  ElementStrips(const ElementProgram& program, const ElementSections& sections, char* memory,
                int64_t block_bytes, std::span<const uint8_t, ElementProgram::kMaxValues> varies,
                const ScalarOf& scalar_of)
      : ElementStrips(program, sections, memory, block_bytes) {
    const int num_values = program.num_inputs() + static_cast<int>(program.instructions().size());
    for (int v = 0; v < num_values; ++v) {
      if (varies[v] == 0 && sections.code().tile_of(v) >= 0) FillTile(v, scalar_of(v));
    }
  }

  // Runs a strip on a block of that many elements. `values` has where the values are that the strip
  // reads, and where those are to be that others read.
  void Run(const ElementSections::Section& section, const Values& values, int64_t size);

 private:
  static constexpr int64_t kTileBytes = StripTable::kMaxTileBytes;

  ElementStrips(const ElementProgram& program, const ElementSections& sections, char* memory,
                int64_t block_bytes);

  void FillTile(int value, const char* element);
  // Returns the bytes of an element of a value outside of strips.
  int64_t WidthOf(int value) const { return TypeSize(program_.type_of(value)); }
  StripOperand TileOf(int value) const {
    return {tiles_ + sections_.code().tile_of(value) * kTileBytes, 0};
  }
  // Returns the elements of a value that the strip reads, repeated if it has fewer than the block.
  StripOperand Find(int value, const BlockValue& found, int64_t size);
  // Lists where the inputs begin that the strip reads element by element.
  std::span<const char* const> FindInputs(const ElementSections::Section& section,
                                          const Values& values);
  // Runs the strip on the elements from `begin`, less than a tile, which are copied to and from
  // tiles.
  void RunRest(const ElementSections::Section& section, int64_t begin, int64_t count);

  const ElementProgram& program_;
  const ElementSections& sections_;
  char* const tiles_;
  char* const rest_;      // a tile for each link
  char* const repeated_;  // buffers of blocks
  const int64_t repeated_bytes_;
  std::array<StripOperand, StripLink::kNumOperands> operands_;
  std::array<const char*, ElementProgram::kMaxInputs> inputs_;
};

}  // namespace ramet::linalg
