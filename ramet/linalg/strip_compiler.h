#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>

#include "ramet/linalg/element_program.h"
#include "ramet/linalg/kernel_table.h"

// Internal to linalg.

namespace ramet::linalg {

// A StripLink says how an operand of a strip finds its elements. Operand v has the elements of
// value v. Operand Outside(v) has them as the rest of the program sees them: in the buffer of the
// block, with one byte per bool.
struct StripLink {
  static constexpr int kNumOperands = 2 * ElementProgram::kMaxValues;
  static constexpr int Outside(int value) { return ElementProgram::kMaxValues + value; }

  enum class Kind : uint8_t {
    kTile,   // in a tile of the strip, or a tile that repeats a scalar
    kRead,   // in the block's buffer of the value, which has been computed
    kWrite,  // in the block's buffer of the value, which the strip computes
  };
  int16_t operand;
  Kind kind;

  int value() const { return operand % ElementProgram::kMaxValues; }
};

// A StripCode is the code of the strips of a program. A plain value without heap memory.
class StripCode {
 public:
  // An instruction converts up to two bools, loads, computes and stores twice. Each strip ends with
  // a step of its own.
  static constexpr int kMaxSteps = 9 * ElementProgram::kMaxInstructions;
  // An instruction reads up to three values, bools among them in two places, and writes one.
  static constexpr int kMaxLinks = 8 * ElementProgram::kMaxInstructions;

  // The first tiles belong to the registers of the program.
  explicit StripCode(const ElementProgram& program);

  const StripStep* step(int i) const { return &steps_[i]; }
  const StripLink& link(int i) const { return links_[i]; }
  int num_steps() const { return num_steps_; }
  int num_links() const { return num_links_; }
  void AddStep(const StripStep& step) { steps_[num_steps_++] = step; }
  StripStep& last_step() { return steps_[num_steps_ - 1]; }
  void AddLink(StripLink link) { links_[num_links_++] = link; }

  // Returns the tile of a value in a strip, or -1. A scalar has its tile to itself.
  int tile_of(int value) const { return tile_of_[value]; }
  int num_tiles() const { return num_tiles_; }
  void SetTile(int value, int tile) { tile_of_[value] = static_cast<int16_t>(tile); }
  void AddTile(int value) { SetTile(value, num_tiles_++); }
  // Returns the buffer for the elements of a value that has fewer than a block, or -1.
  int repeated_of(int value) const { return repeated_of_[value]; }
  int num_repeated() const { return num_repeated_; }
  void AddRepeated(int value) {
    if (repeated_of_[value] < 0) repeated_of_[value] = static_cast<int16_t>(num_repeated_++);
  }

 private:
  int num_steps_ = 0, num_links_ = 0, num_tiles_, num_repeated_ = 0;
  std::array<int16_t, ElementProgram::kMaxValues> tile_of_, repeated_of_;
  std::array<StripStep, kMaxSteps> steps_;
  std::array<StripLink, kMaxLinks> links_;
};

// An ElementValues holds what a run knows about the values of a program.
struct ElementValues {
  const ElementProgram& program;
  std::span<const uint8_t, ElementProgram::kMaxValues> varies;
  // The value has an element for each element of a block.
  const std::bitset<ElementProgram::kMaxValues>& dense;

  bool IsBool(int value) const { return program.type_of(value) == Type::kBool; }
  // Reports whether sections compute instruction i; other values vary along no dimension.
  bool IsComputed(int i) const { return varies[program.num_inputs() + i] != 0; }
  // Returns the first such instruction after i, or `end`.
  int NextComputed(int i, int end) const;
};

// A StripCompiler makes the code of one strip. One value at a time is in the registers. A result is
// stored only if an instruction reads it that does not find it there.
class StripCompiler {
 public:
  // Reports whether an instruction may be part of a strip.
  static bool MayJoin(const ElementValues& values, int i, StripType type);

  // Compiles instructions [begin, end). The arguments must outlive this object. With `streamed`,
  // results are stored past the caches.
  StripCompiler(const ElementValues& values, int begin, int end, StripType type, bool streamed,
                StripCode* code);
  void Run();

 private:
  const ElementInstruction& instruction(int i) const { return values_.program.instructions()[i]; }
  void Compile(int i);
  void CompileBinary(const ElementInstruction& instruction);
  void StoreResult(int i);
  bool IsTakenFromRegisters(int value, int reader) const;
  // Makes a value readable from memory, or loads it into the registers.
  void NeedMemory(int value);
  void NeedRegisters(int value);
  void Emit(const StripHandlers::Entry& entry, int a = 0, int b = 0,
            StripStep::Function function = {});
  void Link(int operand, StripLink::Kind kind);
  // Reports whether the strip computes a value.
  bool IsOwn(int value) const;

  const ElementValues& values_;
  const int begin_, end_;
  const bool streamed_;
  const StripHandlers& handlers_;
  StripCode& code_;
  int in_registers_ = -1;  // a value
  PairedStep last_ = PairedStep::kNone;
  std::bitset<StripLink::kNumOperands> is_linked_;
};

}  // namespace ramet::linalg
