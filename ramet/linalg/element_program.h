#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ramet/linalg/element_layout.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/reduce.h"

namespace ramet::linalg {

// An instruction of an ElementProgram. Its operands are values: the inputs of the program are
// numbered first, then the results of its instructions.
struct ElementInstruction {
  enum class Kind : uint8_t {
    kUnary,   // Unary; op is a UnaryOp
    kBinary,  // Binary; op is a BinaryOp
    kSelect,  // operand 0 ? operand 1 : operand 2
    kCast,    // Cast
    kReduce,  // Reduce of the last dimension, which then has one element; op is a ReduceOp
  };
  Kind kind = Kind::kUnary;
  uint8_t op = 0;
  Type type = Type::kFloat;    // of operand 0; of kSelect, of the operands 1 and 2
  Type result = Type::kFloat;  // of the result
  int8_t num_operands = 0;
  std::array<int8_t, 3> operands = {};

  int64_t width() const { return TypeSize(result); }
};

// An ElementProgram is a sequence of instructions that are applied to one block of elements at a
// time, so that values between them stay in the cache and memory is read and written once. Each
// instruction runs the loop of Unary, Binary and so on, so that the bits of results are those of
// separate calls, for any number of threads. Immutable.
class ElementProgram {
 public:
  static constexpr int kMaxInputs = ElementLayout::kMaxOperands;
  static constexpr int kMaxInstructions = 48;
  static constexpr int kMaxOutputs = 8;
  static constexpr int kMaxValues = kMaxInputs + kMaxInstructions;
  // The longest row that is reduced in the cache.
  static constexpr int64_t kMaxRowBytes = 65536;

  ElementProgram() = default;
  // `outputs` are the results that Run writes, at most kMaxOutputs, in ascending order.
  ElementProgram(std::vector<Type> inputs, std::vector<ElementInstruction> instructions,
                 std::vector<int8_t> outputs);

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  Type input_type(int i) const { return inputs_[i]; }
  // Returns the type of an input or a result.
  Type type_of(int value) const {
    return value < num_inputs() ? inputs_[value] : instructions_[value - num_inputs()].result;
  }
  std::span<const ElementInstruction> instructions() const { return instructions_; }
  std::span<const int8_t> outputs() const { return outputs_; }
  // Returns the instruction that reads a value last, or -1.
  int last_reader(int value) const { return last_reader_[value]; }
  // Reports whether some instruction needs rows that are not cut into blocks.
  bool reduces() const { return reduces_; }

  // The buffers of a run. Outputs may be inputs that no later instruction than theirs reads, that
  // vary along the same dimensions and, unless all values have one element, along some dimension.
  struct Buffers {
    std::array<const void*, kMaxInputs> inputs;
    std::array<void*, kMaxOutputs> outputs;
  };
  // Finds the dimensions along which each value varies. Returns false if Run does not support the
  // layout.
  bool Resolve(const ElementLayout& layout, std::span<uint8_t, kMaxValues> varies) const;
  // Computes the outputs, past the caches if `streamed`, which needs one output and a layout of one
  // row. Resolve must have returned true.
  void Run(const ElementLayout& layout, std::span<const uint8_t, kMaxValues> varies,
           const Buffers& buffers, bool streamed) const;

 private:
  friend class ElementRun;

  void FindReaders();
  void AssignRegisters();
  void Weigh();
  bool IsOutput(int value) const;
  // Returns the elements per block, if rows need not be whole.
  int64_t BlockElements() const;

  std::vector<Type> inputs_;
  std::vector<ElementInstruction> instructions_;
  std::vector<int8_t> outputs_;
  std::vector<int8_t> last_reader_;  // by value
  std::vector<int8_t> register_;     // by instruction; -1 for outputs
  int num_registers_ = 0;
  int64_t width_ = 1;  // of the widest value
  int64_t grain_ = 1;  // elements that justify a thread
  bool reduces_ = false;
};

}  // namespace ramet::linalg
