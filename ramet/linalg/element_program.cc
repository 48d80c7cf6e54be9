#include "ramet/linalg/element_program.h"

#include <algorithm>

#include "ramet/linalg/element_run.h"
#include "ramet/linalg/element_spans.h"

namespace ramet::linalg {
namespace {

using Kind = ElementInstruction::Kind;

// Elements that justify a thread, for an instruction that copies.
constexpr int64_t kCopyGrainElements = 16384;

int64_t GrainOf(const ElementInstruction& instruction) {
  switch (instruction.kind) {
    case Kind::kUnary: return Grain(static_cast<UnaryOp>(instruction.op));
    case Kind::kBinary: return Grain(static_cast<BinaryOp>(instruction.op));
    default: return kCopyGrainElements;
  }
}

}  // namespace

ElementProgram::ElementProgram(std::vector<Type> inputs,
                               std::vector<ElementInstruction> instructions,
                               std::vector<int8_t> outputs)
    : inputs_(std::move(inputs)),
      instructions_(std::move(instructions)),
      outputs_(std::move(outputs)) {
  FindReaders();
  AssignRegisters();
  Weigh();
}

bool ElementProgram::IsOutput(int value) const {
  return std::ranges::find(outputs_, value) != outputs_.end();
}

void ElementProgram::FindReaders() {
  last_reader_.assign(num_inputs() + instructions_.size(), -1);
  num_readers_.assign(last_reader_.size(), 0);
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const ElementInstruction& instruction = instructions_[i];
    for (int k = 0; k < instruction.num_operands; ++k) {
      last_reader_[instruction.operands[k]] = static_cast<int8_t>(i);
      ++num_readers_[instruction.operands[k]];
    }
    reduces_ |= instruction.kind == Kind::kReduce;
    width_ = std::max({width_, TypeSize(instruction.type), instruction.width()});
  }
}

// A value has a register from its instruction to its last reader. An instruction does not write the
// register of an operand, because a loop may read and write different numbers of elements. Values
// of different widths have different registers, because a strip reads and writes them tile by tile.
void ElementProgram::AssignRegisters() {
  std::array<std::vector<int>, 9> free_of;  // by width
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const int value = num_inputs() + static_cast<int>(i);
    register_.push_back(-1);
    std::vector<int>& free = free_of[instructions_[i].width()];
    if (!IsOutput(value)) {
      if (free.empty()) free.push_back(num_registers_++);
      register_.back() = static_cast<int8_t>(free.back());
      free.pop_back();
    }
    for (int v = num_inputs(); v <= value; ++v) {
      const int reg = register_[v - num_inputs()];
      const bool ends =
          last_reader_[v] == static_cast<int>(i) || (v == value && last_reader_[v] < 0);
      if (reg >= 0 && ends) free_of[instructions_[v - num_inputs()].width()].push_back(reg);
    }
  }
}

void ElementProgram::Weigh() {
  double work = 0;
  for (const ElementInstruction& instruction : instructions_) {
    work += 1.0 / static_cast<double>(GrainOf(instruction));
  }
  grain_ = work > 0 ? std::max<int64_t>(1, static_cast<int64_t>(1 / work)) : 1;
}

bool ElementProgram::Resolve(const ElementLayout& layout,
                             std::span<uint8_t, kMaxValues> varies) const {
  constexpr uint8_t kRow = ElementLayout::kRow, kColumn = ElementLayout::kColumn;
  for (int i = 0; i < num_inputs(); ++i) varies[i] = layout.varies(i);
  bool whole_rows = reduces_;
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const ElementInstruction& instruction = instructions_[i];
    uint8_t all = 0;
    for (int k = 0; k < instruction.num_operands; ++k) all |= varies[instruction.operands[k]];
    if (instruction.kind == Kind::kReduce && (all & kColumn) != 0) {
      if ((all & kRow) == 0 && layout.rows() > 1) return false;
      all = static_cast<uint8_t>((all & ~kColumn) | kRow);
    }
    varies[num_inputs() + i] = all;
  }
  for (int8_t output : outputs_) {
    const uint8_t all = varies[output];
    const bool by_row = (all & kRow) != 0 || layout.rows() == 1;
    const bool by_plane = (all & ElementLayout::kOuter) != 0 || layout.planes() == 1;
    if (all != 0 && !(by_row && by_plane)) return false;
    whole_rows |= all != 0 && (all & kColumn) == 0;
  }
  return !whole_rows || layout.columns() * width_ <= kMaxRowBytes;
}

void ElementProgram::Run(const ElementLayout& layout, std::span<const uint8_t, kMaxValues> varies,
                         const Buffers& buffers, bool streamed) const {
  ElementRun(*this, layout, varies, buffers, streamed).Run();
}

}  // namespace ramet::linalg
