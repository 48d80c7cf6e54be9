#pragma once

#include <array>
#include <optional>
#include <span>

#include "ramet/linalg/element_program.h"
#include "ramet/linalg/element_strips.h"

// Internal to linalg.

namespace ramet::linalg {

// An ElementRun is one run of an ElementProgram. Values that vary along no dimension are computed
// once; all others in each block, by the sections of the program.
class ElementRun {
 public:
  // The arguments, which are those of ElementProgram::Run, must outlive this object.
  ElementRun(const ElementProgram& program, const ElementLayout& layout,
             std::span<const uint8_t, ElementProgram::kMaxValues> varies,
             const ElementProgram::Buffers& buffers, bool streamed);
  void Run();

 private:
  static constexpr int kMaxValues = ElementProgram::kMaxValues;

  struct Block {
    int64_t plane, row, column;  // where it starts
    int64_t rows, columns;

    int64_t size() const { return rows * columns; }
  };
  using Value = BlockValue;
  using Values = ElementStrips::Values;

  bool ComputeScalars();
  // Returns which values have an element for each element of a block.
  std::bitset<kMaxValues> FindDense() const;
  int64_t CountBlocks();
  int64_t BlockBytes() const;
  void RunBlocks(int64_t begin, int64_t end) const;
  Block BlockAt(int64_t i) const;
  // Says where the values are that sections read and write.
  void Place(const Block& block, char* registers, Values* values) const;
  void RunBlock(const Block& block, const Values& values, ElementStrips* strips) const;
  char* OutputAt(int value, const Block& block) const;

  // Returns a value that varies along no dimension.
  char* Scalar(int value) const;

  static void Execute(const ElementInstruction& instruction, const Values& values, const Value& y);
  static void ExecuteBinary(const ElementInstruction& instruction, const Value& a, const Value& b,
                            const Value& y);
  static void ExecuteSelect(const ElementInstruction& instruction, const Value& condition,
                            const Value& a, const Value& b, const Value& y);
  static void ExecuteReduce(const ElementInstruction& instruction, const Value& x, const Value& y);

  const ElementProgram& program_;
  const ElementLayout& layout_;
  const std::span<const uint8_t, kMaxValues> varies_;
  const ElementProgram::Buffers& buffers_;
  const bool streamed_;
  std::bitset<kMaxValues> dense_;
  std::optional<ElementSections> sections_;
  int64_t block_rows_ = 1, block_columns_ = 1;  // the largest block
  int64_t row_blocks_ = 1, column_blocks_ = 1;  // per plane and row
  std::array<int8_t, kMaxValues> output_;       // by value; -1 for others
  alignas(8) std::array<std::array<char, 8>, kMaxValues> scalars_;
};

}  // namespace ramet::linalg
