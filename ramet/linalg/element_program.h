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
    kUnary,     // Unary; op is a UnaryOp
    kBinary,    // Binary; op is a BinaryOp
    kSelect,    // operand 0 ? operand 1 : operand 2
    kCast,      // Cast
    kReduce,    // Reduce of the last dimension, which then has one element; op is a ReduceOp
    kRepeat,    // operand 0, for readers whose other operands have more elements
    kConstant,  // op, a number, in a floating-point type
  };
  Kind kind = Kind::kUnary;
  uint8_t op = 0;
  Type type = Type::kFloat;    // of operand 0; of kSelect, of the operands 1 and 2
  Type result = Type::kFloat;  // of the result
  int8_t num_operands = 0;
  std::array<int8_t, 3> operands = {};

  int64_t width() const { return TypeSize(result); }
  std::span<const int8_t> reads() const { return std::span(operands).first(num_operands); }
};

// An ElementProgram is a sequence of instructions that are applied to one block of elements at a
// time, so that values between them stay in registers or in the cache and memory is read and
// written once. Each instruction computes what the loop of Unary, Binary and so on computes, so
// that the bits of results are those of separate calls, for any number of threads. Immutable.
class ElementProgram {
 public:
  static constexpr int kMaxInputs = ElementLayout::kMaxOperands;
  static constexpr int kMaxInstructions = 95;
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
  // Returns how often instructions read a value.
  int num_readers(int value) const { return num_readers_[value]; }
  bool IsOutput(int value) const;
  // Results that are not outputs have registers, which they share if they are not needed at the
  // same time.
  int num_registers() const { return num_registers_; }
  int register_of(int value) const { return register_[value - num_inputs()]; }
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

  std::vector<Type> inputs_;
  std::vector<ElementInstruction> instructions_;
  std::vector<int8_t> outputs_;
  std::vector<int8_t> last_reader_;   // by value
  std::vector<int16_t> num_readers_;  // by value
  std::vector<int8_t> register_;      // by instruction; -1 for outputs
  int num_registers_ = 0;
  int64_t width_ = 1;  // of the widest value
  int64_t grain_ = 1;  // elements that justify a thread
  bool reduces_ = false;
};

}  // namespace ramet::linalg
