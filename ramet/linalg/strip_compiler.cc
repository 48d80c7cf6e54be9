#include "ramet/linalg/strip_compiler.h"

#include <algorithm>

namespace ramet::linalg {
namespace {

using Kind = ElementInstruction::Kind;
using LinkKind = StripLink::Kind;

Type ElementTypeOf(StripType type) {
  return type == StripType::kFloat ? Type::kFloat : Type::kDouble;
}

const StripHandlers& HandlersOf(StripType type) {
  return Kernels().strips.handlers[static_cast<int>(type)];
}

KernelTable::Unary UnaryFunction(const ElementInstruction& instruction) {
  return Kernels().unary[instruction.op][static_cast<int>(instruction.type)];
}
KernelTable::Binary BinaryFunction(const ElementInstruction& instruction) {
  return Kernels().binary[instruction.op][static_cast<int>(instruction.type)];
}

}  // namespace

StripCode::StripCode(const ElementProgram& program) : num_tiles_(program.num_registers()) {
  const size_t n = program.num_inputs() + program.instructions().size();
  std::fill_n(tile_of_.begin(), n, int16_t{-1});
  std::fill_n(repeated_of_.begin(), n, int16_t{-1});
}

int ElementValues::NextComputed(int i, int end) const {
  for (++i; i < end; ++i) {
    if (IsComputed(i)) return i;
  }
  return end;
}

bool StripCompiler::MayJoin(const ElementValues& values, int i, StripType type) {
  const ElementInstruction& made = values.program.instructions()[i];
  if (!values.dense[values.program.num_inputs() + i]) return false;
  const StripHandlers& handlers = HandlersOf(type);
  const bool same = made.type == ElementTypeOf(type), called = same && made.result == made.type;
  const bool on_bools = made.type == Type::kBool && made.result == Type::kBool;
  switch (made.kind) {
    case Kind::kUnary:
      return called || ((same || on_bools) && handlers.unary[made.op].handler != nullptr);
    case Kind::kBinary: {
      const auto op = static_cast<BinaryOp>(made.op);
      const bool logical = op == BinaryOp::kLogicalAnd || op == BinaryOp::kLogicalOr;
      return called || (on_bools && logical) ||
             (same && handlers.first[made.op].handler != nullptr);
    }
    case Kind::kSelect:
    case Kind::kRepeat: return same;
    case Kind::kCast: return made.type == Type::kBool && made.result == ElementTypeOf(type);
    default: return false;
  }
}

StripCompiler::StripCompiler(const ElementValues& values, int begin, int end, StripType type,
                             bool streamed, StripCode* code)
    : values_(values),
      begin_(begin),
      end_(end),
      streamed_(streamed),
      handlers_(HandlersOf(type)),
      code_(*code) {}

void StripCompiler::Run() {
  for (int i = begin_; i < end_; i = values_.NextComputed(i, end_)) Compile(i);
  Emit(handlers_.end);
}

bool StripCompiler::IsOwn(int value) const {
  const int i = value - values_.program.num_inputs();
  return i >= begin_ && i < end_ && values_.IsComputed(i);
}

void StripCompiler::Compile(int i) {
  const ElementInstruction& made = instruction(i);
  switch (made.kind) {
    case Kind::kUnary:
      NeedRegisters(made.operands[0]);
      if (handlers_.unary[made.op].handler != nullptr) {
        Emit(handlers_.unary[made.op]);
      } else {
        Emit(handlers_.call, 0, 0, {.unary = UnaryFunction(made)});
      }
      break;
    case Kind::kBinary: CompileBinary(made); break;
    case Kind::kSelect:
      for (int k = 0; k < 3; ++k) NeedMemory(made.operands[k]);
      NeedRegisters(made.operands[0]);
      Emit(handlers_.select, made.operands[1], made.operands[2]);
      break;
    default:
      NeedRegisters(made.operands[0]);
      if (made.kind == Kind::kCast) Emit(handlers_.cast_bools);
  }
  StoreResult(i);
}

void StripCompiler::CompileBinary(const ElementInstruction& made) {
  const int a = made.operands[0], b = made.operands[1];
  NeedMemory(a);
  NeedMemory(b);
  const bool second = in_registers_ == b && a != b;
  if (!second) NeedRegisters(a);
  const int other = second ? a : b;
  const auto op = static_cast<BinaryOp>(made.op);
  const bool in_order = !second || op == BinaryOp::kAdd || op == BinaryOp::kMul;
  const auto& scalar = handlers_.scalar[made.op];
  if (in_order && values_.varies[other] == 0 && scalar.handler != nullptr) {
    return Emit(scalar, other);
  }
  const auto& entry = second ? handlers_.second[made.op] : handlers_.first[made.op];
  if (entry.handler != nullptr) return Emit(entry, other);
  Emit(second ? handlers_.call_second : handlers_.call_first, other, 0,
       {.binary = BinaryFunction(made)});
}

// Stores a result where instructions read it that do not find it in the registers.
void StripCompiler::StoreResult(int i) {
  const ElementProgram& program = values_.program;
  const int value = program.num_inputs() + i;
  in_registers_ = value;
  const int last = program.last_reader(value), readers = program.num_readers(value);
  if (last >= end_ || program.IsOutput(value)) {
    const auto& store = values_.IsBool(value) ? handlers_.store_bools
                        : streamed_           ? handlers_.stream
                                              : handlers_.store;
    Link(StripLink::Outside(value), LinkKind::kWrite);
    Emit(store, StripLink::Outside(value));
  }
  const bool read_here = last >= 0 && (last < end_ || readers > 1);
  const int next = values_.NextComputed(i, end_);
  const bool taken = readers == 1 && next < end_ && IsTakenFromRegisters(value, next);
  if (!read_here || taken) return;
  if (program.IsOutput(value)) {
    code_.AddTile(value);
  } else {
    code_.SetTile(value, program.register_of(value));
  }
  Link(value, LinkKind::kTile);
  Emit(handlers_.store, value);
}

// Reports whether an instruction of the strip reads a value, once, and finds it in the registers if
// they hold it.
bool StripCompiler::IsTakenFromRegisters(int value, int reader) const {
  const ElementInstruction& made = instruction(reader);
  if (std::ranges::count(made.reads(), value) != 1) return false;
  if (made.kind == Kind::kSelect) return made.operands[0] == value;
  if (made.kind != Kind::kBinary) return true;
  const int other = made.operands[0] == value ? made.operands[1] : made.operands[0];
  // A bool from outside is converted in the registers.
  return !values_.IsBool(other) || IsOwn(other) || values_.varies[other] == 0;
}

void StripCompiler::NeedMemory(int value) {
  if (IsOwn(value) || is_linked_[value]) return;
  if (values_.varies[value] == 0) {
    if (code_.tile_of(value) < 0) code_.AddTile(value);
    return Link(value, LinkKind::kTile);
  }
  if (!values_.dense[value]) code_.AddRepeated(value);
  if (!values_.IsBool(value)) return Link(value, LinkKind::kRead);
  code_.AddTile(value);
  Link(StripLink::Outside(value), LinkKind::kRead);
  Link(value, LinkKind::kTile);
  Emit(handlers_.load_bools, StripLink::Outside(value));
  Emit(handlers_.store, value);
  in_registers_ = value;
}

void StripCompiler::NeedRegisters(int value) {
  NeedMemory(value);
  if (in_registers_ == value) return;
  Emit(handlers_.load, value);
  in_registers_ = value;
}

// Adds a step, or makes one of the last step and this one.
void StripCompiler::Emit(const StripHandlers::Entry& entry, int a, int b,
                         StripStep::Function function) {
  if (last_ != PairedStep::kNone && entry.paired != PairedStep::kNone) {
    StripStep& step = code_.last_step();
    step.handler = handlers_.pairs[static_cast<int>(last_)][static_cast<int>(entry.paired)];
    step.b = static_cast<int16_t>(a);
    last_ = PairedStep::kNone;
    return;
  }
  code_.AddStep({entry.handler, function, static_cast<int16_t>(a), static_cast<int16_t>(b)});
  last_ = entry.paired;
}

void StripCompiler::Link(int operand, LinkKind kind) {
  is_linked_[operand] = true;
  code_.AddLink({static_cast<int16_t>(operand), kind});
}

}  // namespace ramet::linalg
