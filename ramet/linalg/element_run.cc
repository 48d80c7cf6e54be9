#include "ramet/linalg/element_run.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/element_spans.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/linalg/stream_copy.h"

namespace ramet::linalg {
namespace {

using Kind = ElementInstruction::Kind;
constexpr uint8_t kRow = ElementLayout::kRow, kColumn = ElementLayout::kColumn;

// Values between sections have buffers of this size, which stay in the first-level cache. A program
// that is one strip has none; its blocks are the unit of work of a thread (ramet_bench
// ramet/cheap_chain*).
constexpr int64_t kBlockBytes = 4096, kStripBytes = 32768;
constexpr uintptr_t kStreamAlign = 64;

template <class T>
void DivideAll(T divisor, void* yv, int64_t n) {
  T* y = static_cast<T*>(yv);
  for (int64_t i = 0; i < n; ++i) y[i] /= divisor;
}

}  // namespace

ElementRun::ElementRun(const ElementProgram& program, const ElementLayout& layout,
                       std::span<const uint8_t, kMaxValues> varies,
                       const ElementProgram::Buffers& buffers, bool streamed)
    : program_(program),
      layout_(layout),
      varies_(varies),
      buffers_(buffers),
      streamed_(streamed && reinterpret_cast<uintptr_t>(buffers.outputs[0]) % kStreamAlign == 0) {
  const size_t num_values = program.last_reader_.size();
  std::fill_n(output_.begin(), num_values, int8_t{-1});
  for (size_t o = 0; o < program.outputs_.size(); ++o) {
    output_[program.outputs_[o]] = static_cast<int8_t>(o);
  }
}

void ElementRun::Run() {
  if (!ComputeScalars()) return;
  dense_ = FindDense();
  sections_.emplace(ElementValues{program_, varies_, dense_}, streamed_);
  const int64_t blocks = CountBlocks();
  const int64_t grain = program_.grain_ / (block_rows_ * block_columns_) + 1;
  ParallelFor(blocks, grain, [this](int64_t begin, int64_t end) { RunBlocks(begin, end); });
}

std::bitset<ElementRun::kMaxValues> ElementRun::FindDense() const {
  std::bitset<kMaxValues> dense;
  for (size_t v = 0; v < program_.last_reader_.size(); ++v) {
    const bool by_row = (varies_[v] & kRow) != 0 || layout_.rows() == 1;
    const bool by_column = (varies_[v] & kColumn) != 0 || layout_.columns() == 1;
    dense[v] = by_row && by_column;
  }
  return dense;
}

// Returns whether there are other values.
bool ElementRun::ComputeScalars() {
  Values values;
  for (int i = 0; i < program_.num_inputs(); ++i) {
    values[i] = {static_cast<char*>(const_cast<void*>(buffers_.inputs[i])), 1, 1};
  }
  bool all = true;
  for (size_t i = 0; i < program_.instructions_.size(); ++i) {
    const int v = program_.num_inputs() + static_cast<int>(i);
    if (varies_[v] != 0) {
      all = false;
      continue;
    }
    char* const to =
        output_[v] >= 0 ? static_cast<char*>(buffers_.outputs[output_[v]]) : scalars_[v].data();
    values[v] = {to, 1, 1};
    Execute(program_.instructions_[i], values, values[v]);
  }
  return !all;
}

int64_t ElementRun::CountBlocks() {
  const int64_t bytes = sections_->is_one_strip() ? kStripBytes : kBlockBytes;
  const int64_t elements = bytes / program_.width_;
  bool whole_rows = program_.reduces_;
  for (int8_t output : program_.outputs_) {
    whole_rows |= varies_[output] != 0 && (varies_[output] & kColumn) == 0;
  }
  const int64_t columns = layout_.columns();
  block_columns_ = whole_rows ? columns : std::min(columns, elements);
  block_rows_ = std::clamp<int64_t>(elements / columns, 1, layout_.rows());
  row_blocks_ = (layout_.rows() + block_rows_ - 1) / block_rows_;
  column_blocks_ = (columns + block_columns_ - 1) / block_columns_;
  return layout_.planes() * row_blocks_ * column_blocks_;
}

// Returns the bytes of a buffer for one value of a block. They are not a power of two, so that
// buffers next to each other use different sets of the cache.
int64_t ElementRun::BlockBytes() const {
  if (sections_->is_one_strip()) return 0;
  const int64_t bytes = block_rows_ * block_columns_ * program_.width_;
  return (bytes + 63) / 64 * 64 + 64;
}

void ElementRun::RunBlocks(int64_t begin, int64_t end) const {
  const int64_t block_bytes = BlockBytes();
  const int64_t registers_bytes = program_.num_registers_ * block_bytes;
  const int64_t bytes = registers_bytes + ElementStrips::MemoryBytes(*sections_, block_bytes);
  char* const registers = static_cast<char*>(Scratch(ScratchUse::kElementBlocks, bytes));
  ElementStrips strips(program_, *sections_, registers + registers_bytes, block_bytes, varies_,
                       [this](int value) { return Scalar(value); });
  Values values;
  for (int64_t i = begin; i < end; ++i) {
    const Block block = BlockAt(i);
    Place(block, registers, &values);
    RunBlock(block, values, &strips);
  }
  if (streamed_) StreamFence();
}

ElementRun::Block ElementRun::BlockAt(int64_t i) const {
  Block block;
  block.column = i % column_blocks_ * block_columns_;
  i /= column_blocks_;
  block.row = i % row_blocks_ * block_rows_;
  block.plane = i / row_blocks_;
  block.rows = std::min(block_rows_, layout_.rows() - block.row);
  block.columns = std::min(block_columns_, layout_.columns() - block.column);
  return block;
}

void ElementRun::Place(const Block& block, char* registers, Values* values) const {
  const auto rows_of = [&](uint8_t varies) { return (varies & kRow) != 0 ? block.rows : 1; };
  const auto columns_of = [&](uint8_t varies) {
    return (varies & kColumn) != 0 ? block.columns : 1;
  };
  for (int v = 0; v < program_.num_inputs(); ++v) {
    const uint8_t varies = varies_[v];
    int64_t at = layout_.planes() > 1 ? layout_.PlaneOffset(v, block.plane) : 0;
    if ((varies & kRow) != 0) at += block.row * ((varies & kColumn) != 0 ? layout_.columns() : 1);
    if ((varies & kColumn) != 0) at += block.column;
    const auto* data = static_cast<const char*>(buffers_.inputs[v]);
    (*values)[v] = {const_cast<char*>(data) + at * TypeSize(program_.input_type(v)),
                    rows_of(varies), columns_of(varies)};
  }
  const int64_t block_bytes = BlockBytes();
  for (size_t i = 0; i < program_.instructions_.size(); ++i) {
    const int v = program_.num_inputs() + static_cast<int>(i);
    char* const data = varies_[v] == 0  ? Scalar(v)
                       : output_[v] < 0 ? registers + program_.register_[i] * block_bytes
                                        : OutputAt(v, block);
    (*values)[v] = {data, rows_of(varies_[v]), columns_of(varies_[v])};
  }
}

void ElementRun::RunBlock(const Block& block, const Values& values, ElementStrips* strips) const {
  for (const ElementSections::Section& section : sections_->sections()) {
    if (section.is_strip) {
      strips->Run(section, values, block.size());
    } else {
      const int v = program_.num_inputs() + section.begin;
      Execute(program_.instructions_[section.begin], values, values[v]);
    }
  }
}

char* ElementRun::Scalar(int value) const {
  if (value < program_.num_inputs()) {
    return static_cast<char*>(const_cast<void*>(buffers_.inputs[value]));
  }
  if (output_[value] >= 0) return static_cast<char*>(buffers_.outputs[output_[value]]);
  return const_cast<char*>(scalars_[value].data());
}

char* ElementRun::OutputAt(int value, const Block& block) const {
  int64_t at = block.plane * layout_.rows() + block.row;
  if ((varies_[value] & kColumn) != 0) at = at * layout_.columns() + block.column;
  const int64_t width = program_.instructions_[value - program_.num_inputs()].width();
  return static_cast<char*>(buffers_.outputs[output_[value]]) + at * width;
}

void ElementRun::Execute(const ElementInstruction& instruction, const Values& values,
                         const Value& y) {
  const Value& a = values[instruction.operands[0]];
  switch (instruction.kind) {
    case Kind::kUnary:
      UnarySpan(static_cast<UnaryOp>(instruction.op), instruction.type, a.data, y.data, y.size());
      break;
    case Kind::kBinary: ExecuteBinary(instruction, a, values[instruction.operands[1]], y); break;
    case Kind::kSelect:
      ExecuteSelect(instruction, a, values[instruction.operands[1]],
                    values[instruction.operands[2]], y);
      break;
    case Kind::kCast: Cast(instruction.type, a.data, instruction.result, y.data, y.size()); break;
    case Kind::kReduce: ExecuteReduce(instruction, a, y); break;
    case Kind::kRepeat: std::memcpy(y.data, a.data, y.size() * instruction.width()); break;
    case Kind::kConstant: {
      const float number = instruction.op;
      Cast(Type::kFloat, &number, instruction.result, y.data, 1);
    }
  }
}

void ElementRun::ExecuteBinary(const ElementInstruction& instruction, const Value& a,
                               const Value& b, const Value& y) {
  RowsArgs args{a.data, b.data, y.data, 1, y.size(), 0, 0, a.size() == 1, b.size() == 1};
  const bool alike = a.rows == b.rows && a.columns == b.columns;
  if (alike) {
    args.a_scalar = args.b_scalar = false;
  } else if (!args.a_scalar && !args.b_scalar) {
    args.rows = y.rows;
    args.n = y.columns;
    args.a_row = a.rows > 1 ? a.columns : 0;
    args.b_row = b.rows > 1 ? b.columns : 0;
    args.a_scalar = a.columns == 1 && y.columns > 1;
    args.b_scalar = b.columns == 1 && y.columns > 1;
  }
  BinarySpan(static_cast<BinaryOp>(instruction.op), instruction.type, args);
}

// Selects row by row. A condition with one element per row is repeated.
void ElementRun::ExecuteSelect(const ElementInstruction& instruction, const Value& condition,
                               const Value& a, const Value& b, const Value& y) {
  const int64_t width = instruction.width();
  const auto kernel = Kernels().select[std::countr_zero(static_cast<uint64_t>(width))];
  const auto row_of = [](const Value& value, int64_t row, int64_t element) {
    return value.data + (value.rows > 1 ? row * value.columns * element : 0);
  };
  std::array<bool, 256> repeated;
  const bool repeats = condition.columns == 1;
  const int64_t step = repeats ? static_cast<int64_t>(repeated.size()) : y.columns;
  const int64_t a_step = a.columns == 1 ? 0 : width, b_step = b.columns == 1 ? 0 : width;
  for (int64_t r = 0; r < y.rows; ++r) {
    const auto* chosen = reinterpret_cast<const bool*>(row_of(condition, r, 1));
    if (repeats) repeated.fill(*chosen);
    for (int64_t i = 0; i < y.columns; i += step) {
      kernel(repeats ? repeated.data() : chosen, row_of(a, r, width) + i * a_step, a_step == 0,
             row_of(b, r, width) + i * b_step, b_step == 0, std::min(step, y.columns - i),
             y.data + (r * y.columns + i) * width);
    }
  }
}

// Reduces rows as Reduce does. A row of one element is copied.
void ElementRun::ExecuteReduce(const ElementInstruction& instruction, const Value& x,
                               const Value& y) {
  const Type type = instruction.type;
  const auto op = static_cast<ReduceOp>(instruction.op);
  if (x.columns == 1) {
    std::memcpy(y.data, x.data, static_cast<size_t>(y.size() * instruction.width()));
    return;
  }
  const ReduceOp base = op == ReduceOp::kMean ? ReduceOp::kSum : op;
  Kernels().row_reduce[static_cast<int>(base)][static_cast<int>(type)](x.data, y.rows, x.columns,
                                                                       y.data);
  if (op != ReduceOp::kMean) return;
  if (type == Type::kFloat) {
    DivideAll(static_cast<float>(x.columns), y.data, y.rows);
  } else {
    DivideAll(static_cast<double>(x.columns), y.data, y.rows);
  }
}

}  // namespace ramet::linalg
