#pragma once

#include <array>
#include <span>

#include "ramet/linalg/element_program.h"

// Internal to linalg.

namespace ramet::linalg {

// An ElementRun is one run of an ElementProgram. Values that vary along no dimension are computed
// once; all others in each block.
class ElementRun {
 public:
  // The arguments, which are those of ElementProgram::Run, must outlive this object.
  ElementRun(const ElementProgram& program, const ElementLayout& layout,
             std::span<const uint8_t, ElementProgram::kMaxValues> varies,
             const ElementProgram::Buffers& buffers, bool streamed);
  void Run();

 private:
  static constexpr int kMaxValues = ElementProgram::kMaxValues;

  // A value in a block: `rows` times `columns` elements, each 1 if it does not vary that way.
  struct Value {
    char* data;
    int64_t rows;
    int64_t columns;

    int64_t size() const { return rows * columns; }
  };
  struct Block {
    int64_t plane, row, column;  // where it starts
    int64_t rows, columns;
  };
  using Values = std::array<Value, kMaxValues>;

  bool ComputeScalars();
  int64_t CountBlocks();
  void RunBlocks(int64_t begin, int64_t end) const;
  Block BlockAt(int64_t i) const;
  void RunBlock(const Block& block, char* registers) const;
  char* OutputAt(int value, const Block& block) const;
  void Stream(const Block& block, const char* made) const;

  // Returns a value that varies along no dimension.
  char* Scalar(int value) const;

  static void Execute(const ElementInstruction& instruction, const Values& values, Value& y);
  static void ExecuteBinary(const ElementInstruction& instruction, const Value& a, const Value& b,
                            Value& y);
  static void ExecuteSelect(const ElementInstruction& instruction, const Value& condition,
                            const Value& a, const Value& b, Value& y);
  static void ExecuteReduce(const ElementInstruction& instruction, const Value& x, Value& y);

  const ElementProgram& program_;
  const ElementLayout& layout_;
  const std::span<const uint8_t, kMaxValues> varies_;
  const ElementProgram::Buffers& buffers_;
  const bool streamed_;
  int64_t block_rows_ = 1, block_columns_ = 1;  // the largest block
  int64_t row_blocks_ = 1, column_blocks_ = 1;  // per plane and row
  std::array<int8_t, kMaxValues> output_;       // by value; -1 for others
  alignas(8) std::array<std::array<char, 8>, kMaxValues> scalars_;
};

}  // namespace ramet::linalg
