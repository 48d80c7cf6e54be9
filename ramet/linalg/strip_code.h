#pragma once

#include <cstdint>
#include <span>

#include "ramet/linalg/elementwise.h"

// Internal to linalg: threaded code. A strip is a run of element-wise instructions that a program
// applies to one tile of elements at a time. A tile is as many elements as fit in eight vector
// registers. Each step of the code ends with a jump to the next one and passes the tile on in
// registers, so that a value between two steps costs nothing.

namespace ramet::linalg {

struct RowsArgs;

// A StripOperand says where the elements of a value are: at `data` plus the position in the strip,
// or in a tile of its own at `data` that is the same for all positions.
struct StripOperand {
  char* data;
  int64_t mask;  // of the position: -1 or 0
};

// A step reads the tile in the registers and up to two operands, and leaves its result in the
// registers.
struct StripStep {
  using Handler = void (*)();  // cast to the signature of the level
  union Function {
    bool (*unary)(const void* x, void* y, int64_t n);
    bool (*binary)(const RowsArgs& args);
  };
  Handler handler;
  Function function;  // that the step calls; only for some handlers
  int16_t a, b;       // positions in the array of operands
};

// The types of strips. Bools in a strip are lanes of that width with all bits 0 or 1.
enum class StripType : uint8_t { kFloat, kDouble };
inline constexpr int kNumStripTypes = 2;

// The steps that a strip has most often. Two of them after each other are one step, because a jump
// costs as much as a cheap operation on a tile (docs/decisions/0116-threaded-elementwise-code.md).
// "Second" steps compute op(operand, registers).
enum class PairedStep : int8_t {
  kNone = -1,
  kLoad,
  kStore,
  kAdd,
  kSub,
  kSubSecond,
  kMul,
  kMaximum,
  kMinimum,
  kReluGrad,
  kRelu,
  kNeg,
  kSquare,
  kAddScalar,
  kSubScalar,
  kMulScalar,
};
inline constexpr int kNumPairedSteps = static_cast<int>(PairedStep::kMulScalar) + 1;

// The handlers of a level for one type.
struct StripHandlers {
  struct Entry {
    StripStep::Handler handler = nullptr;
    PairedStep paired = PairedStep::kNone;
  };

  Entry load;         // registers = a
  Entry load_bools;   // registers = a, which has one byte per element
  Entry store;        // a = registers
  Entry stream;       // a = registers, past the caches; a must be aligned to 64
  Entry store_bools;  // a = registers, one byte per element
  Entry call;         // registers = function.unary(registers)
  Entry call_first;   // registers = function.binary(registers, a)
  Entry call_second;  // registers = function.binary(a, registers)
  Entry select;       // registers = registers ? a : b
  Entry cast_bools;   // registers = registers ? 1 : 0
  Entry end;
  // registers = op(registers), op(registers, a) and op(a, registers). Null for operations that are
  // called, or that the type does not have.
  Entry unary[kNumUnaryOps];
  Entry first[kNumBinaryOps];
  Entry second[kNumBinaryOps];
  // registers = op(registers, a), where a is one tile for all positions, with equal elements. Null
  // for most operations.
  Entry scalar[kNumBinaryOps];
  // The first step with operand a, then the second one with operand b.
  StripStep::Handler pairs[kNumPairedSteps][kNumPairedSteps];
};

struct StripTable {
  // A bound for all levels.
  static constexpr int64_t kMaxTileBytes = 512;

  int64_t tile_bytes = 0;
  StripHandlers handlers[kNumStripTypes] = {};
  // Runs code for the tiles that start at bytes [begin, end) of a value. The elements of `inputs`,
  // which are operands, are prefetched.
  void (*run)(const StripStep* code, const StripOperand* operands,
              std::span<const char* const> inputs, int64_t begin, int64_t end) = nullptr;
};

}  // namespace ramet::linalg
